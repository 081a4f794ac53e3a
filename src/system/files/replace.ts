/** Replaces a file atomically: a reader sees the old text or the new one, never a part. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { whileHeld } from './held';
import type { Machine } from './paths';

/** How long a writer waits for a reader. */
const HELD_MS = 500;

/**
 * Writes the text to a 0600 file beside it, `NAME.….tmp`, and renames that to it. Only a writer that is killed in
 * between leaves such a file behind.
 *
 * @throws the system's error
 */
export function replaceFile(path: string, text: string, machine: Machine): void {
  // Two writers at once are two processes, or one process at two times: neither shares this name.
  const temporary = `${path}.${Date.now().toString(36)}${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    whileHeld(() => renameSync(temporary, path), HELD_MS, machine);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
