/** Reads a file that the user named, up to a limit: a secret's file may turn out to be a disk. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Named pipes work too, as `<(pass show client)` gives one. @throws the system's error, or one with the code EFBIG */
export function readFileLimited(path: string, limit: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(limit + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (length > limit) throw tooLarge(limit);
      if (read === 0) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** The error for more than the limit. */
export function tooLarge(limit: number): Error {
  return Object.assign(new Error(`more than ${limit} bytes`), { code: 'EFBIG' });
}
