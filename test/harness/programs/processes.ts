import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the result of `read`, which reads /proc; `otherwise` if the process has ended or belongs to another user. */
export function inProc<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Returns the command lines of processes with `text` in their environment, from /proc on Linux. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      inProc(() => {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      }, []),
    );
}

/** Waits up to ten seconds until no process has `text` in its environment. Returns those that remain. */
export async function leftBehind(text: string): Promise<string[]> {
  await until('none is left', () => processesWith(text).length === 0, 10_000).catch(() => {});
  return processesWith(text);
}

/** Returns a line of sh that waits for a file. It ends after two minutes, even if the test run was killed. */
export function shellWait(file = '/nonexistent'): string {
  return `for i in $(seq 2400); do [ ! -e '${file}' ] || break; sleep 0.05; done`;
}

/** Returns whether a process with this id runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // In a container, zombies may remain because no process reaps them.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/**
 * Waits until the condition holds. Rejects after `timeoutMs`, which is only a safeguard.
 *
 * @param pauseMs time between two looks; more than 20 if each look starts a program
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
  pauseMs = 20,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(pauseMs);
  }
}

/** Returns all descendants, children first. Slim containers have no pgrep, and macOS has no /proc. */
export function descendants(pid: number): number[] {
  const lists =
    process.platform === 'linux'
      ? inProc(() => readdirSync(`/proc/${pid}/task`), []).map((task) =>
          inProc(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), ''),
        )
      : [spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout];
  const children = lists.flatMap((list) => (list.match(/\d+/g) ?? []).map(Number));
  return [...children, ...children.flatMap(descendants)];
}
