import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The command lines of processes with `text` in their environment (Linux, /proc): what a run left behind. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        // It has ended meanwhile, or is not ours.
        return [];
      }
    });
}

/** Waits until there is none left, one second at most, and gives those that are. */
export async function leftBehind(text: string): Promise<string[]> {
  for (let tries = 0; tries < 50 && processesWith(text).length > 0; tries++) await sleep(20);
  return processesWith(text);
}

/** Whether a process with this id is there; one that ended and waits for its parent to notice is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // In a container nobody may collect the dead: a zombie does not run.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Waits until the condition holds. Rejects after `timeoutMs`: a stop for what has gone wrong, no promise. */
export async function until(what: string, holds: () => boolean, timeoutMs = 30_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(20);
  }
}

/** The processes below this one, nearest first; slim containers have no ps, and macOS has no /proc. */
export function descendants(pid: number): number[] {
  const lines =
    process.platform === 'linux'
      ? readdirSync('/proc').flatMap((name) => parentOf(name))
      : execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'latin1' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) found.push(...pairs.filter(([, of]) => of === parent).map(([child]) => child!));
  return found.slice(1);
}

function parentOf(pid: string): string[] {
  try {
    return [`${pid} ${/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]}`];
  } catch {
    return [];
  }
}
