/**
 * Keeps secrets inside this process: out of a debugger, and out of the environment of the programs that gwtoken runs for
 * its own purposes.
 */
import { delimiter, isAbsolute } from 'node:path';
import type { Env } from '../../world';

/**
 * From here on SIGUSR1 ends the process, as it does other programs, instead of opening Node's debugger on 127.0.0.1 to
 * every user of the machine.
 */
export function closeDebugger(own: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (own.platform === 'win32') return;
  const nothing = (): void => {};
  // A listener replaces Node's own handler, and removing the last listener removes every handler.
  own.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
}

/**
 * The environment of a system program that gwtoken runs for its own purposes (getent, dbus-send, taskkill): what every
 * program needs to run, and the variables that this one reads. Its output is in English. Relative and empty entries of
 * PATH are left out, or a program of the working directory's would be run.
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
