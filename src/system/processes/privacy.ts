/**
 * Keeps secrets inside this process: out of a debugger, out of core files, and out of the environment of the programs
 * that gwtoken runs for its own purposes. The first line of each program needs it, so it imports `node:fs` alone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Env } from '../../world/streams';

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

/** Which parts of a process's memory the kernel puts into its core file (core(5)); children inherit it. */
const FILTER = '/proc/self/coredump_filter';

/** Runs the start of a child that is not gwtoken's own, so that it dumps core as if gwtoken had not been there. */
export type WithCoreDumps = <T>(start: () => T) => T;

/**
 * From here on a core file contains no memory of this process or its children. Only on Linux: on macOS
 * and Windows programs write no core files unless somebody has set that up, and a program cannot change it without
 * native code. It takes a third of a millisecond.
 */
export function leaveNoCore(own: Pick<NodeJS.Process, 'platform'>): WithCoreDumps {
  const before = own.platform === 'linux' ? filter() : undefined;
  if (before === undefined) return (start) => start();
  setFilter('0');
  return (start) => {
    setFilter(`0x${before}`);
    try {
      return start();
    } finally {
      setFilter('0');
    }
  };
}

/** In hexadecimal; undefined where the kernel has no such filter. */
function filter(): string | undefined {
  try {
    return readFileSync(FILTER, 'latin1').trim();
  } catch {
    return undefined;
  }
}

function setFilter(value: string): void {
  try {
    writeFileSync(FILTER, value);
  } catch {
    // /proc is read-only here.
  }
}

/**
 * The environment of a system program that gwtoken runs for its own purposes (getent, dbus-send, ps, taskkill):
 * what every program needs to run, and the variables that this one reads. Its output is in English.
 */
export function helperEnvironment(env: Env, ...reads: readonly string[]): NodeJS.ProcessEnv {
  const names = ['PATH', 'SystemRoot', ...reads].filter((name) => env[name] !== undefined);
  return { ...Object.fromEntries(names.map((name) => [name, env[name]])), LC_ALL: 'C' };
}
