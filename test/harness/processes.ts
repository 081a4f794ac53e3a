import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The command lines of the processes that have `text` in their environment (Linux, /proc): what a run left behind. */
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
