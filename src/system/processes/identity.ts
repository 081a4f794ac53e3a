/** A process as other processes know it, such as the holder of a lock. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from '../../errors';

type Own = Pick<NodeJS.Process, 'pid' | 'kill'>;

/**
 * Names this process for others: `PLACE PID START`. A PID alone is ambiguous: machines may share a home
 * directory, and containers even the host name. The start distinguishes it from a later process with its PID.
 */
export function ownProcess(proc: Own | undefined): string {
  return proc === undefined ? '' : `${pidScope()} ${proc.pid} ${procStat(proc.pid)?.startTime ?? '-'}`;
}

/** The scope in which process IDs are unique: this boot of this machine and, on Linux, this PID namespace. */
function pidScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname().replaceAll(' ', '');
  }
}

/**
 * Returns whether a process named by {@link ownProcess} is dead or running, which includes waiting for a
 * disk; undefined if it sleeps or is stopped, or if nothing is known of it, as on another machine.
 */
export function holderState(named: string, proc: Own | undefined): 'dead' | 'running' | undefined {
  const [where, pid, start] = named.split(' ');
  if (proc === undefined || where !== pidScope()) return undefined;
  try {
    proc.kill(Number(pid), 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH' ? 'dead' : undefined;
  }
  const { startTime = start, state } = procStat(Number(pid)) ?? {};
  // A zombie only waits for its parent.
  if (startTime !== start || state === 'Z') return 'dead';
  return state === 'R' || state === 'D' ? 'running' : undefined;
}

/** A process's /proc/PID/stat on Linux (proc(5)). */
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
