/**
 * Files that Windows does not let anybody touch for a moment, since a writer or virus scanner has them open.
 */
import { systemCode } from '../../system-errors';
import { sleepSync } from '../terminal/streams';
import type { Host } from './paths';

const PAUSE_MS = 10;

/** Retries work that Windows refuses while it holds the file. @throws the system's error */
export function retryWhileBusy<T>(work: () => T, limitMs: number, { platform }: Pick<Host, 'platform'>): T {
  const giveUpAt = platform === 'win32' ? performance.now() + limitMs : 0;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isHeld = ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '');
      if (!isHeld || performance.now() >= giveUpAt) throw error;
      sleepSync(PAUSE_MS);
    }
  }
}

export const WRITER_WAITS_MS = 500;
