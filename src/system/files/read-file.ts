/** Reads files and streams that the user names, up to a limit: a secret's file may turn out to be a disk. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { systemCode } from '../../errors';

/**
 * How long a pipe may have no writer, which may still be starting; and how long a writer may be silent, since it may
 * prompt the user.
 */
const WRITER_MS = 1000;
const SILENT_MS = 60_000;
const PAUSE_MS = 10;

/**
 * Returns the World's `readFile`. A pipe such as `<(pass show client)` can be read only once, so what the quick way
 * reads from one, or the error, is remembered for the CLI.
 */
export function fileReader(silentMs = SILENT_MS): (path: string, limit: number) => Uint8Array {
  const pipes = new Map<string, Uint8Array | Error>();
  return (path, limit) => {
    const known = pipes.get(path);
    if (known instanceof Error) throw known;
    return known ?? readLimited(path, limit, { pipes, silentMs });
  };
}

/** The contents of pipes read so far, and how long a pipe may be silent. */
interface Pipes {
  readonly pipes: Map<string, Uint8Array | Error>;
  readonly silentMs: number;
}

/**
 * Reads a whole file; a pipe only if `kept` is passed.
 *
 * @throws the system's error; EFBIG for more than `limit` bytes
 */
export function readLimited(path: string, limit: number, kept?: Pipes): Uint8Array {
  // Without O_NONBLOCK, which is undefined on Windows and so no flag, opening a pipe without a writer would block.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isFile()) return readOn(file, limit, 0);
    if (kept === undefined) {
      if (stat.isFIFO()) throw new Error('it is a pipe');
      return readOn(file, limit, 0);
    }
    let content: Uint8Array | Error;
    try {
      content = readOn(file, limit, kept.silentMs);
    } catch (error) {
      content = error as Error;
    }
    kept.pipes.set(path, content);
    if (content instanceof Error) throw content;
    return content;
  } finally {
    closeSync(file);
  }
}

/** @param silentMs how long a pipe may have nothing to read without having ended; 0 for anything else */
function readOn(file: number, limit: number, silentMs: number): Uint8Array {
  const bytes = Buffer.alloc(limit + 1);
  let length = 0;
  for (let last = performance.now(); ; ) {
    const read = readNow(file, bytes, length);
    if (read !== undefined) length += read;
    if (length > limit) throw tooLarge(limit);
    if (read) {
      last = performance.now();
      continue;
    }
    // No bytes and no error means the end of the file; for a pipe, also that its writer has not opened it yet.
    const waitMs = read === undefined ? silentMs : length > 0 ? 0 : Math.min(silentMs, WRITER_MS);
    if (performance.now() - last < waitMs)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    else if (read === undefined) throw new Error(`nothing was written to it for ${silentMs / 1000} s`);
    else return bytes.subarray(0, length);
  }
}

/** Undefined if there is nothing to read yet. */
function readNow(file: number, bytes: Buffer, length: number): number | undefined {
  try {
    return readSync(file, bytes, length, bytes.length - length, null);
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Reads a stream to its end. @throws an error with the code EFBIG for more than `limit` bytes */
export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): Error {
  return Object.assign(new Error(`more than ${limit} bytes`), { code: 'EFBIG' });
}
