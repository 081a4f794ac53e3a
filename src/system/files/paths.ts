import { posix, win32 } from 'node:path';
import { type GwtokenError, usage } from '../../errors';
import { DIRECTORY_VARIABLES } from '../../surroundings';
import { quoted } from '../../text';
import type { DirectoryKind, Env } from '../../world';

export interface Host {
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, where owners and modes are not checked. */
  readonly uid: number | undefined;
}

export function ownDirectoryHint(kind: DirectoryKind): string {
  return `run gwtoken as its owner, or set ${DIRECTORY_VARIABLES[kind]} to a directory you own`;
}

export function writableDirectoryHint(kind: DirectoryKind): string {
  return `set ${DIRECTORY_VARIABLES[kind]} to a writable directory`;
}

/** Windows' variables for the directories of a user's programs. */
const WINDOWS_HOMES = { config: 'APPDATA', cache: 'LOCALAPPDATA' };

/**
 * Returns the directory of the config file and the stored clients, or of the token cache. Returns a `usage`
 * error for a relative path in gwtoken's variable, and if there is no home directory. The first of these
 * counts: GWTOKEN_CONFIG_DIR; `gwtoken` below XDG_CONFIG_HOME (on every platform) if that is absolute;
 * `gwtoken` below the platform's directory. The cache's variables are GWTOKEN_CACHE_DIR and XDG_CACHE_HOME.
 */
export function directoryOf(kind: DirectoryKind, env: Env, platform: NodeJS.Platform): string | GwtokenError {
  const { isAbsolute, join, resolve } = platform === 'win32' ? win32 : posix;
  const variable = DIRECTORY_VARIABLES[kind];
  const ours = env[variable];
  const xdg = env[`XDG_${kind.toUpperCase()}_HOME`] ?? '';
  const home = platform === 'win32' ? WINDOWS_HOMES[kind] : 'HOME';
  const base = env[home] ?? '';
  if (ours && !isAbsolute(ours))
    return usage(`invalid ${variable} ${quoted(ours)}`, ['use an absolute path']);
  // resolve() removes a separator at the end: with that separator, lstat would follow a link.
  if (ours) return resolve(ours);
  if (isAbsolute(xdg)) return join(xdg, 'gwtoken');
  // A relative path would mean another directory in each working directory.
  if (!isAbsolute(base))
    return usage(
      'no home directory',
      [`${home} is not set to a directory; set it or ${variable}`],
      'no-home',
    );
  if (platform === 'win32') return join(base, 'gwtoken', kind === 'cache' ? 'Cache' : '');
  // On macOS too, command-line tools such as gh use .config.
  const below = platform === 'darwin' && kind === 'cache' ? 'Library/Caches' : `.${kind}`;
  return join(base, below, 'gwtoken');
}
