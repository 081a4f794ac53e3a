/** A process as other processes know it, such as the holder of a lock. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from '../../system-errors';
import { procStat } from './proc-stat';

type Own = Pick<NodeJS.Process, 'pid' | 'kill'>;

/**
 * Names this process for others: `PLACE PID START`. Machines share home directories, and containers the host
 * name too: each has its own process 7. Its start distinguishes it from a later process with the same ID.
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
 * Returns whether a process that {@link ownProcess} named is dead, or runs or waits for a disk, however
 * little CPU it gets; undefined for one that sleeps or is stopped, or if nothing is known of it, as on
 * another machine.
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
