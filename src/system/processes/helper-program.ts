/** The programs that gwtoken runs for its own purposes. */
import { delimiter, isAbsolute } from 'node:path';
import type { Env } from '../../world';

/**
 * The environment of a system program (getent, dbus-send, taskkill): what every program needs, and the variables that
 * this one reads. Its output is in English. Without the relative and empty entries of PATH, or a program of the working
 * directory's would be run.
 */
export function helperEnvironment(env: Env, ...reads: readonly string[]): NodeJS.ProcessEnv {
  const path = env['PATH']?.split(delimiter).filter(isAbsolute).join(delimiter);
  const names = ['SystemRoot', ...reads].filter((name) => env[name] !== undefined);
  const own = Object.fromEntries(names.map((name) => [name, env[name]]));
  // An empty PATH would mean the working directory too; none means the system's own.
  return { ...(path ? { PATH: path } : {}), ...own, LC_ALL: 'C' };
}

/** The path of one of Windows' own programs: by its name, one in the working directory would be run. */
export function windowsProgram(name: string, { SystemRoot = 'C:\\Windows' }: Env): string {
  return `${SystemRoot}\\System32\\${name}`;
}
