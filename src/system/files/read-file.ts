/** Reads files and streams up to a limit. A path may lead to a device, or to a pipe without a writer. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

export interface FileRead {
  readonly bytes: Buffer;
  /** Owner and mode, from the same descriptor as the bytes. */
  readonly stat: Stats;
}

/**
 * Reads as many bytes of a regular file as its size says. Files of /proc have size 0 and read as empty.
 *
 * @param flag O_NOFOLLOW to refuse a link (ELOOP)
 * @throws the system's error; EFBIG for more than `limit` bytes; an error without a code for other file types
 */
export function readRegular(path: string, limit: number, flag = 0): FileRead {
  // O_NONBLOCK keeps a pipe without a writer from blocking. On Windows both flags are undefined.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flag);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('it is not a regular file');
    if (stat.size > limit) throw tooLarge(limit);
    const bytes = Buffer.alloc(stat.size);
    return { bytes: bytes.subarray(0, readSync(file, bytes, 0, stat.size, 0)), stat };
  } finally {
    closeSync(file);
  }
}

/** Reads a stream to its end. @throws an error with the code EFBIG for more than `limit` bytes */
export async function readAll(stream: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function tooLarge(limit: number): Error {
  return Object.assign(new Error(`more than ${limit} bytes`), { code: 'EFBIG' });
}
