/** Replaces a file atomically: a reader sees the old text or the new one, never a part. */
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** After so long no living writer has a temporary file. */
const STALE_MS = 60_000;

/**
 * Removes the files of processes that were killed. Nothing here throws: the next writer tries again.
 *
 * @param names matches theirs alone
 * @param olderThanMs since when nobody who lives has written to them
 */
export function sweepOld(folder: string, names: RegExp, olderThanMs = STALE_MS): void {
  try {
    for (const name of readdirSync(folder)) {
      if (!names.test(name)) continue;
      const left = join(folder, name);
      if (Date.now() - lstatSync(left).mtimeMs > olderThanMs) rmSync(left);
    }
  } catch {
    // Another has swept it, or the folder cannot be changed.
  }
}
