/** Replaces a file atomically: a reader sees the old text or the new one, never a part. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { retryWhileBusy, WRITER_WAITS_MS } from './busy';
import type { Host } from './paths';

/** Returns a name that no other process uses, nor this one again; not a secret. */
export function uniqueName(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
}

/**
 * Writes the text to a 0600 file beside it, `NAME.….tmp`, and renames that to it.
 *
 * @throws the system's error
 */
export function replaceFile(path: string, text: string, host: Host): void {
  const temporary = `${path}.${uniqueName()}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    retryWhileBusy(() => renameSync(temporary, path), WRITER_WAITS_MS, host);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
