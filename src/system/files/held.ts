/** Files that another program has open. */
import { systemCode } from '../../errors';
import type { Machine } from './paths';

const PAUSE_MS = 10;

/**
 * Retries the work while Windows refuses it because another program has the file open for a moment: a writer that
 * replaces it, a virus scanner. Other systems do not lock such files.
 *
 * @throws the system's error, on Windows after `limitMs`
 */
export function whileHeld<T>(work: () => T, limitMs: number, { platform }: Pick<Machine, 'platform'>): T {
  const giveUpAt = platform === 'win32' ? performance.now() + limitMs : 0;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isHeld = ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '');
      if (!isHeld || performance.now() >= giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
