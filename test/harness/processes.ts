import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a process with this id is there; one that ended and waits for its parent to notice is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the condition holds. Rejects after `timeoutMs` (10,000 if left out). */
export async function until(what: string, holds: () => boolean, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(20);
  }
}
