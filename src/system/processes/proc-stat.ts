/** A process's /proc/PID/stat on Linux (proc(5)). */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { quietly } from '../../errors';

interface ProcStat {
  /** `R` is running or ready, `D` waits for a disk, `S` sleeps, `T` is stopped. */
  readonly state: string;
  readonly group: number;
  /** The process group in the foreground of its controlling terminal; -1 without one. */
  readonly foregroundGroup: number;
  /** When it was started, in the kernel's count: distinguishes it from a later process with the same PID. */
  readonly startTime: string;
}

/** Reads it; undefined for a process that does not exist, and if there is no /proc. */
export function procStat(pid: number | 'self'): ProcStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state parent …": the name may contain anything, even parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group, , , foregroundGroup] = fields;
    const startTime = fields[19];
    if (startTime === undefined) return undefined;
    return { state, group: Number(group), foregroundGroup: Number(foregroundGroup), startTime };
  } catch {
    return undefined;
  }
}

/**
 * Tells if its terminal sends signals to this process, and to a child. Without /proc it is enough to have a
 * terminal.
 */
export function isForeground(platform: NodeJS.Platform): boolean {
  if (platform !== 'linux') return hasTerminal();
  const self = procStat('self');
  return self !== undefined && self.group === self.foregroundGroup;
}

/** Tells if this process has a controlling terminal, wherever its streams lead. */
export function hasTerminal(): boolean {
  const terminal = quietly(() => openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
  if (terminal !== undefined) closeSync(terminal);
  return terminal !== undefined;
}
