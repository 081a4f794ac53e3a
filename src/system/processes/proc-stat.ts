/** A process's /proc/PID/stat on Linux (proc(5)). */
import { closeSync, constants, openSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { quietly } from '../../errors';
import { systemCode } from '../../system-errors';

interface ProcStat {
  /** `R` is running or ready, `D` waits for a disk, `S` sleeps, `T` is stopped. */
  readonly state: string;
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
    const [state = '', , group, , , foregroundGroup] = fields;
    const startTime = fields[19];
    if (startTime === undefined) return undefined;
    return { state, group: Number(group), foregroundGroup: Number(foregroundGroup), startTime };
  } catch {
    return undefined;
  }
}

/** Whether its terminal sends signals to this process, and to a child. Without /proc it is enough to have a terminal. */
export function isForeground(platform: NodeJS.Platform): boolean {
  if (platform !== 'linux') return hasTerminal();
  const self = procStat('self');
  return self !== undefined && self.group === self.foregroundGroup;
}

/** Whether this process has a controlling terminal, wherever its streams lead. */
export function hasTerminal(): boolean {
  const terminal = quietly(() => openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
  if (terminal !== undefined) closeSync(terminal);
  return terminal !== undefined;
}

type Own = Pick<NodeJS.Process, 'pid' | 'kill'>;

/**
 * Names this process for others: `PLACE PID START`. Machines share home directories, and containers the host name too: each
 * has its own process 7. Its start distinguishes it from a later process with the same ID.
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
 * Whether a process that {@link ownProcess} named is dead, or runs and is not stopped by a signal, however little CPU it
 * gets; undefined if neither is known, as on another machine.
 */
export function holderState(named: string, proc: Own | undefined): 'dead' | 'running' | undefined {
  const [where, pid, start] = named.split(' ');
  if (proc === undefined || where !== pidScope()) return undefined;
  try {
    proc.kill(Number(pid), 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH' ? 'dead' : undefined;
  }
  const { startTime = start, state = 'T' } = procStat(Number(pid)) ?? {};
  // A zombie only waits for its parent.
  if (startTime !== start || state === 'Z') return 'dead';
  return state.toUpperCase() === 'T' ? undefined : 'running';
}
