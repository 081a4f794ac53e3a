/** Standard streams on bare file descriptors: `process.stdout` costs 3 ms at every start. */
import { fstatSync, writeSync } from 'node:fs';
import { failure, messageOf, orUndefined, ReaderGone, systemCode } from '../../errors';

/** The codes for a reader that has gone; EOF is Node 20's on Windows. */
const READER_GONE = ['EPIPE', 'EOF'];

/**
 * Writes all of the text before it returns. @throws ReaderGone if nobody reads it, otherwise a `local` error
 */
export function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EAGAIN') sleepSync(5);
      else if (READER_GONE.includes(code ?? '')) throw new ReaderGone('the reader of the output has gone');
      else {
        const message = `cannot write output (${code ?? messageOf(error)})`;
        throw failure('local', message, 'free some disk space, or write elsewhere');
      }
    }
  }
}

/** Sleeps without the event loop, until a full pipe can be written to, or Windows lets go of a file. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Returns false only if it certainly is no terminal: of some descriptors Windows says nothing. */
export function mayBeTerminal(descriptor: number): boolean {
  return orUndefined(() => fstatSync(descriptor).isCharacterDevice()) ?? true;
}
