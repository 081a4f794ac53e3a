/** Reads what the user named, up to a limit: a secret's file may turn out to be a disk. */
import { createReadStream } from 'node:fs';

/** @throws the system's error, or one with the code EFBIG */
export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  limit: number,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > limit) throw Object.assign(new Error(`more than ${limit} bytes`), { code: 'EFBIG' });
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Named pipes work too, as `<(pass show client)` gives one. */
export function readFileLimited(path: string, limit: number): Promise<Uint8Array> {
  return readAll(createReadStream(path), limit);
}
