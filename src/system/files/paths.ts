/** The paths of gwtoken's files. Only this module decides; conf is told. */
import { type GwtokenError, usage } from '../../errors';
import type { Env } from '../../world';

/** The machine and the user, as far as files depend on them. */
export interface Host {
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, where owners and modes are not checked. */
  readonly uid: number | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** The directory of `passwd` and `group`; `/etc` if left out. */
  readonly etc?: string;
  /** To tell if other processes live; without it all count as on another machine. */
  readonly proc?: Pick<NodeJS.Process, 'pid' | 'kill'>;
}

/** Below the home directory; on Windows, the variable that contains the path. */
const OWN = {
  // As gh has it, and as people expect of command-line tools.
  config: { darwin: '/.config', win32: 'APPDATA', other: '/.config' },
  cache: { darwin: '/Library/Caches', win32: 'LOCALAPPDATA', other: '/.cache' },
} as const;

/** Returns the variables to set if there is no home directory: the platform's own, or gwtoken's. */
function homeVariables(which: keyof typeof OWN, platform: NodeJS.Platform): readonly [string, string] {
  return [platform === 'win32' ? OWN[which].win32 : 'HOME', `GWTOKEN_${which.toUpperCase()}_DIR`];
}

/** Joined by hand: node:path would be one more module on the quick path. */
export function fileIn(folder: string, name: string, platform: NodeJS.Platform): string {
  return `${folder}${platform === 'win32' ? '\\' : '/'}${name}`;
}

/** Returns the error for a missing home directory. */
export function homeless({ platform }: Host): GwtokenError {
  const variables = homeVariables('config', platform).join(', or set ');
  return usage('no home directory for the config file', `set ${variables} to a directory you own`);
}

/**
 * Returns a child's environment, with our directories' paths made absolute: it may change its own directory.
 */
export function withAbsoluteFolders(env: Env, cwd: () => string, platform: NodeJS.Platform): Env {
  const relative = (['config', 'cache'] as const)
    .map((which) => homeVariables(which, platform)[1])
    .filter((name) => env[name] && !isAbsolute(env[name], platform));
  return {
    ...env,
    ...Object.fromEntries(relative.map((name) => [name, fileIn(cwd(), env[name]!, platform)])),
  };
}

/**
 * The directory of the config file and the stored clients, or of the token cache: GWTOKEN_CONFIG_DIR, else
 * `gwtoken` below XDG_CONFIG_HOME if that is absolute (on every platform), else below the platform's own;
 * GWTOKEN_CACHE_DIR likewise. Undefined if there is no home directory.
 */
export function folderOf(which: keyof typeof OWN, env: Env, platform: NodeJS.Platform): string | undefined {
  const [base, own] = homeVariables(which, platform);
  const ours = env[own];
  // Shells' completion leaves a separator at its end, with which a link would be followed, and not seen.
  if (ours) return ours.replace(platform === 'win32' ? /(?<=[^:\\/])[\\/]+$/ : /(?<=[^/])\/+$/, '');
  const xdg = env[`XDG_${which.toUpperCase()}_HOME`];
  if (xdg && isAbsolute(xdg, platform)) return fileIn(xdg, 'gwtoken', platform);
  // One that is relative would be another folder wherever gwtoken is started.
  const home = isAbsolute(env[base] ?? '', platform) ? env[base] : undefined;
  if (!home) return undefined;
  if (platform === 'win32') return `${home}\\gwtoken${which === 'cache' ? '\\Cache' : ''}`;
  return `${home}${OWN[which][platform === 'darwin' ? 'darwin' : 'other']}/gwtoken`;
}

function isAbsolute(path: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? /^([A-Za-z]:)?[\\/]/.test(path) : path.startsWith('/');
}
