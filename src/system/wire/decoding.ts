/** Compressed replies: nobody asked for them, but some endpoints and proxies send nothing else. */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { GwtokenError, messageOf, systemCode } from '../../errors';

/**
 * The body behind a Content-Encoding (RFC 9110 section 8.4): gzip, deflate or br. Decoded piece by piece as it is
 * read, so that a small reply cannot become an endless one. Anything else ends in a `bad-reply` error.
 */
export async function* decoded(
  body: Readable,
  encoding: string,
  endpoint: string,
): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(encoding.toLowerCase());
  if (!decoder) {
    body.on('error', () => {}).destroy();
    throw new GwtokenError('bad-reply', `${endpoint} answered in an encoding that was not asked for`, {
      detail: `content-encoding: ${encoding.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)}`,
    });
  }
  // A fault of the body destroys the decoder with it, so the loop below sees both.
  pipeline(body, decoder, () => {});
  try {
    yield* decoder;
  } catch (error) {
    // zlib's own codes, and brotli's; everything else is the connection's.
    if (!/^(Z_|ERR__ERROR_|ERR_BROTLI)/.test(systemCode(error) ?? '')) throw error;
    throw new GwtokenError('bad-reply', `${endpoint} answered with a compressed body that is broken`, {
      cause: error,
      detail: messageOf(error),
    });
  }
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
