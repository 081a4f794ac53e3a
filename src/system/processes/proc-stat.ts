/** A process's /proc/PID/stat on Linux (proc(5)). */
import { readFileSync } from 'node:fs';

export interface ProcStat {
  /** `R` is running or ready, `D` waits for a disk, `S` sleeps, `T` is stopped. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** The process group in the foreground of its controlling terminal; -1 without one. */
  readonly foregroundGroup: number;
  /** When it was started, in the kernel's count: distinguishes it from a later process with the same PID. */
  readonly startTime: string;
}

/** Undefined for a process that does not exist, and where there is no /proc. */
export function procStat(pid: number | 'self'): ProcStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state parent …": the name may contain anything, even parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, parent, group, , , foregroundGroup] = fields.map(Number);
    const [state] = fields;
    const startTime = fields[19];
    if (state === undefined || startTime === undefined) return undefined;
    return { state, parent, group, foregroundGroup, startTime } as ProcStat;
  } catch {
    return undefined;
  }
}
