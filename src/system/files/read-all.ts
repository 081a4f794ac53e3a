import { tooLarge } from './read-file';

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
