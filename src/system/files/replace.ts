/** Replaces a file atomically: a reader sees the old text or the new one, never a part. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { GwtokenError, type Hints } from '../../errors';
import { systemCode, wordsFor } from '../../system-errors';
import { sleepSync } from '../terminal/streams';
import type { Host } from './paths';

/** Returns a name that is used only once on this machine. It is not a secret. */
export function uniqueName(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
}

/**
 * Writes the text to a new temporary file beside `path` with mode 0600, and renames it to `path`. With
 * `flush` it waits for the disk in between, so that a power cut leaves the old text or the new one. Throws
 * the system's error.
 */
export function writeByRename(
  path: string,
  text: string,
  host: Pick<Host, 'platform'>,
  { temporary = `${path}.${uniqueName()}.tmp`, flush = false } = {},
): void {
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush });
    retryWhileBusy(() => renameSync(temporary, path), host);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns the `local` error for a failed write, or an error that gwtoken has already worded. */
export function writeError(error: unknown, path: string, hints: Hints): GwtokenError {
  if (error instanceof GwtokenError) return error;
  return new GwtokenError('local', `cannot write ${path}: ${wordsFor(error)}`, hints);
}

const BUSY_MS = 500;
const PAUSE_MS = 10;

/** Retries work that Windows refuses while a writer or virus scanner has the file open. */
export function retryWhileBusy<T>(work: () => T, { platform }: Pick<Host, 'platform'>): T {
  const giveUpAtMs = platform === 'win32' ? performance.now() + BUSY_MS : 0;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '');
      if (!isBusy || performance.now() >= giveUpAtMs) throw error;
      sleepSync(PAUSE_MS);
    }
  }
}
