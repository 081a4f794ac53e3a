/** Reads what the user gives, up to a limit: a secret's file may turn out to be a disk. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Gives the World's `readFile`. A pipe such as `<(pass show client)` can be read only once, so what the quick way has
 * read from one is kept for the CLI.
 */
export function fileReader(): (path: string, limit: number) => Uint8Array {
  const pipes = new Map<string, Uint8Array>();
  return (path, limit) => pipes.get(path) ?? readLimited(path, limit, pipes);
}

/** Reads a file whole. @throws the system's error; EFBIG for more than `limit` bytes */
export function readLimited(path: string, limit: number, pipes = new Map<string, Uint8Array>()): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const isPipe = !fstatSync(file).isFile();
    const bytes = Buffer.alloc(limit + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (length > limit) throw tooLarge(limit);
      if (read > 0) continue;
      const content = bytes.subarray(0, length);
      if (isPipe) pipes.set(path, content);
      return content;
    }
  } finally {
    closeSync(file);
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
