import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from '../../harness/homes/folder';
import type { Reason } from '../../harness/needs';

const LIBRARIES = '/usr/lib/x86_64-linux-gnu';

/** Why the library cannot be hidden here, where {@link inNamespace} can be used; undefined if it can. */
export const libraryCannotBeHidden: Reason = existsSync(LIBRARIES) ? undefined : 'needs Debian on x64';

/** A wrapper that mounts something for what it starts alone. For `ProgramOptions.wrapper`. */
export function inNamespace(mounts: string): string[] {
  return ['unshare', '--mount', 'sh', '-c', `${mounts} && exec "$@"`, 'sh'];
}

/** Makes a wrapper without libsecret, for `ProgramOptions.wrapper`: links to all else replace its folder. */
export function withoutLibsecret(): string[] {
  const dir = openFolder();
  const [all, some] = [join(dir, 'all'), join(dir, 'some')];
  mkdirSync(all);
  mkdirSync(some);
  for (const name of readdirSync(LIBRARIES)) {
    if (!name.startsWith('libsecret-1')) symlinkSync(join(all, name), join(some, name));
  }
  const mounts = `mount --bind ${LIBRARIES} ${all} && mount --bind ${some} ${LIBRARIES}`;
  return inNamespace(mounts);
}
