/**
 * Stands for two imports of conf in each bundle: `atomically`, which ignores short writes and handles every
 * signal, and `node:process`, by which conf would find out that it is in a snap, and write in place.
 */
import { realpathSync, rmSync } from 'node:fs';
import { orUndefined } from '../../src/errors';
import { writeByRename } from '../../src/system/files/replace';

export default { env: {} };

/** Replaces a file, or the file that a link points to, at once: mode 0600, all on the disk or an error. */
export function writeFileSync(path: string, text: string): void {
  const target = orUndefined(() => realpathSync(path)) ?? path;
  // The same name each time, so that a killed process leaves no file for good.
  const temporary = `${target}.tmp`;
  rmSync(temporary, { force: true });
  writeByRename(target, text, process, { temporary, flush: true });
}
