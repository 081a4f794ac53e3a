/** The paths of gwtoken's directories. */
import { posix, win32 } from 'node:path';
import type { NoHome } from '../../causes';
import { type GwtokenError, usage } from '../../errors';
import { quoted } from '../../text';
import type { Env } from '../../world';

/** The facts about machine and user that matter for files. */
export interface Host {
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, where owners and modes are not checked. */
  readonly uid: number | undefined;
}

/** Directories below the home directory; for Windows, the variable that contains the path. */
const PLATFORM_DIRECTORIES = {
  // On macOS too, command-line tools such as gh use .config.
  config: { darwin: '.config', win32: 'APPDATA', other: '.config' },
  cache: { darwin: 'Library/Caches', win32: 'LOCALAPPDATA', other: '.cache' },
} as const;

export type DirectoryKind = keyof typeof PLATFORM_DIRECTORIES;

/** Returns the platform's variable for the home directory. */
function homeVariable(kind: DirectoryKind, platform: NodeJS.Platform): string {
  return platform === 'win32' ? PLATFORM_DIRECTORIES[kind].win32 : 'HOME';
}

/** Returns gwtoken's variable for the directory. */
export function directoryVariable(kind: DirectoryKind): string {
  return `GWTOKEN_${kind.toUpperCase()}_DIR`;
}

/** Returns the cause of a missing home directory. */
export function noHome(kind: DirectoryKind, { platform }: Pick<Host, 'platform'>): NoHome {
  return { reason: 'no-home', home: homeVariable(kind, platform), variable: directoryVariable(kind) };
}

/** Returns the error for a relative GWTOKEN_CONFIG_DIR or GWTOKEN_CACHE_DIR; undefined without one. */
export function directoryProblem(env: Env, platform: NodeJS.Platform): GwtokenError | undefined {
  const isRelative = (name: string): boolean => !!env[name] && !pathsOf(platform).isAbsolute(env[name]);
  const name = (['config', 'cache'] as const).map(directoryVariable).find(isRelative);
  return name === undefined
    ? undefined
    : usage(`invalid ${name} ${quoted(env[name]!)}`, { reason: 'bad-value', allowed: 'an absolute path' });
}

function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/**
 * Returns the directory of the config file and the stored clients, or of the token cache; undefined if there
 * is no home directory, or a {@link directoryProblem}. The first of these counts: GWTOKEN_CONFIG_DIR;
 * `gwtoken` below XDG_CONFIG_HOME (on every platform) if that is absolute; `gwtoken` below the platform's
 * directory. The cache's variables are GWTOKEN_CACHE_DIR and XDG_CACHE_HOME.
 */
export function directoryOf(which: DirectoryKind, env: Env, platform: NodeJS.Platform): string | undefined {
  const { isAbsolute, join, resolve } = pathsOf(platform);
  const ours = env[directoryVariable(which)];
  const xdg = env[`XDG_${which.toUpperCase()}_HOME`] ?? '';
  const base = env[homeVariable(which, platform)] ?? '';
  // resolve() removes a separator at the end: with that separator, lstat would follow a link.
  if (ours) return isAbsolute(ours) ? resolve(ours) : undefined;
  if (isAbsolute(xdg)) return join(xdg, 'gwtoken');
  // A relative path would mean another directory in each working directory.
  if (!isAbsolute(base)) return undefined;
  if (platform === 'win32') return join(base, 'gwtoken', which === 'cache' ? 'Cache' : '');
  return join(base, PLATFORM_DIRECTORIES[which][platform === 'darwin' ? 'darwin' : 'other'], 'gwtoken');
}
