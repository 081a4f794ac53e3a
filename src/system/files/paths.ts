/** The paths of gwtoken's directories. Only this module decides. */
import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { type GwtokenError, usage } from '../../errors';
import type { Env } from '../../world';

/** The machine and the user, as far as files depend on them. */
export interface Host {
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, where owners and modes are not checked. */
  readonly uid: number | undefined;
}

/** Below the home directory; on Windows, the variable that contains the path. */
const PLATFORM_DIRECTORIES = {
  // As gh has it, and as people expect of command-line tools.
  config: { darwin: '.config', win32: 'APPDATA', other: '.config' },
  cache: { darwin: 'Library/Caches', win32: 'LOCALAPPDATA', other: '.cache' },
} as const;

export type DirectoryKind = keyof typeof PLATFORM_DIRECTORIES;

/** Returns the variables to set if there is no home directory: the platform's own, or gwtoken's. */
function homeVariables(which: DirectoryKind, platform: NodeJS.Platform): readonly [string, string] {
  return [
    platform === 'win32' ? PLATFORM_DIRECTORIES[which].win32 : 'HOME',
    `GWTOKEN_${which.toUpperCase()}_DIR`,
  ];
}

/** Returns the error for a missing home directory. */
export function noHomeError(host: Host): GwtokenError {
  return usage('no home directory for the config file', noHomeHint(host));
}

export function noHomeHint({ platform }: Host): string {
  const [home, own] = homeVariables('config', platform);
  return `${home} is not set to a directory; set it or ${own}`;
}

/**
 * Returns the directory of the config file and the stored clients, or of the token cache: GWTOKEN_CONFIG_DIR,
 * else `gwtoken` below XDG_CONFIG_HOME if that is absolute (on every platform), else below the platform's
 * own; GWTOKEN_CACHE_DIR likewise. Undefined if there is no home directory.
 *
 * @param exists Returns whether the home directory exists: gwtoken does not create it
 */
export function directoryOf(
  which: DirectoryKind,
  env: Env,
  platform: NodeJS.Platform,
  exists = existsSync,
): string | undefined {
  const { isAbsolute, join, resolve } = platform === 'win32' ? win32 : posix;
  const [home, own] = homeVariables(which, platform);
  const [ours, xdg = '', base = ''] = [env[own], env[`XDG_${which.toUpperCase()}_HOME`], env[home]];
  // Without the separator that completion leaves at its end: with it a link would be followed, and not seen.
  if (ours) return resolve(ours);
  if (isAbsolute(xdg)) return join(xdg, 'gwtoken');
  // One that is relative would be another directory wherever gwtoken is started.
  if (!isAbsolute(base) || !exists(base)) return undefined;
  if (platform === 'win32') return join(base, 'gwtoken', which === 'cache' ? 'Cache' : '');
  return join(base, PLATFORM_DIRECTORIES[which][platform === 'darwin' ? 'darwin' : 'other'], 'gwtoken');
}
