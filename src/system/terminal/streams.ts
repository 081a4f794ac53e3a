/**
 * Standard streams on bare file descriptors: `process.stdout` alone costs 3 ms at every start. What is written has
 * been written when `write` returns, also into a slow pipe.
 */
import { fstatSync, writeSync } from 'node:fs';
import { GwtokenError, messageOf, ReaderGone, systemCode } from '../../errors';

/** What writing says when the reader has gone; EOF is how Node 20 says it on Windows. */
const READER_GONE = ['EPIPE', 'EOF'];

/** Writes all of the text to the descriptor. @throws ReaderGone if nobody reads it, a `local` error on everything else */
export function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EAGAIN') pause(5);
      else if (READER_GONE.includes(code ?? '')) throw new ReaderGone('the reader of stdout has gone');
      else
        throw new GwtokenError('local', `output cannot be written (${code ?? messageOf(error)})`, {
          hints: ['make room where it is written to, or write it elsewhere'],
          cause: error,
        });
    }
  }
}

/** Sleeps without the event loop: a non-blocking pipe is full, and nothing else is to be done meanwhile. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** False only when it is surely none. On Windows there are descriptors that the system tells nothing about. */
export function mayBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
}
