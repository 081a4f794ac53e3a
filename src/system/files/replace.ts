/** Replaces a file whole: a reader sees the text before or the text after, and never a part of one. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { systemCode } from '../../errors';
import type { Machine } from './paths';

/** On Windows a file that a reader or a virus scanner has open cannot be replaced for a moment. */
const WINDOWS_TRIES = 20;
const WINDOWS_PAUSE_MS = 25;

/**
 * Writes the text to a 0600 file beside it, `NAME.….tmp`, and renames that over it. Only a writer that is killed in
 * between leaves such a file behind.
 *
 * @throws the system's error
 */
export function replaceFile(path: string, text: string, { platform }: Machine): void {
  // Two writers at once are two processes, or one process at two times: neither shares this name.
  const temporary = `${path}.${Date.now().toString(36)}${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameOver(path, temporary, platform === 'win32' ? WINDOWS_TRIES : 1);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function renameOver(path: string, temporary: string, tries: number): void {
  for (let left = tries; ; left--) {
    try {
      renameSync(temporary, path);
      return;
    } catch (error) {
      if (left === 1 || !['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WINDOWS_PAUSE_MS);
    }
  }
}
