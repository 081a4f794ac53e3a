/** Standard streams on bare file descriptors, because loading `process.stdout` takes 3 ms at each start. */
import { fstatSync, writeSync } from 'node:fs';
import { GwtokenError, orUndefined } from '../../errors';
import { ReaderGone } from '../../signals';
import { systemCode, wordsFor } from '../../system-errors';

/** The error codes of a pipe without a reader. Node 20 on Windows reports EOF. */
const READER_GONE = ['EPIPE', 'EOF'];

/** Writes the whole text before it returns. @throws ReaderGone if the reader has gone, otherwise `local` */
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
      else throw new GwtokenError('local', `cannot write output: ${wordsFor(error)}`);
    }
  }
}

/** Blocks the thread, for callers that retry a full pipe, or a file that Windows still holds. */
export function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Returns false if the descriptor is certainly not a terminal. Windows cannot tell for some descriptors. */
export function mayBeTerminal(descriptor: number): boolean {
  return orUndefined(() => fstatSync(descriptor).isCharacterDevice()) ?? true;
}

/** Returns whether a descriptor is a terminal. Most are not even devices, and loading node:tty takes 5 ms. */
export function isTerminal(descriptor: number, proc: NodeJS.Process): boolean {
  if (proc.platform !== 'win32' && !mayBeTerminal(descriptor)) return false;
  return proc.getBuiltinModule('node:tty').isatty(descriptor);
}
