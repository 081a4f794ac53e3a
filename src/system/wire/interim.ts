/**
 * Interim replies (1xx) before the final one. A client must accept them even if it did not ask for them (RFC 9110
 * section 15.2), but undici gives up at a 100, and undici and Node's own client both take one for the answer to a
 * CONNECT. A 101 is not skipped: it is final.
 */

/**
 * For the bytes of one reply, in the order of their arrival. Returns undefined while they are all interim; then what
 * follows the interim replies, and is not to be called again.
 */
export function skippingInterim(): (chunk: Buffer) => Buffer | undefined {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = afterInterim(Buffer.concat([held, chunk]));
    return mayBeInterim(held) && held.length < LIMIT ? undefined : held;
  };
}

/** Larger than any interim reply: what is held back must not grow without limit. */
const LIMIT = 64 * 1024;
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d/;
const INTERIM_LENGTH = 'HTTP/1.1 100'.length;

/** What follows the complete interim replies at the beginning. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = INTERIM.test(start(rest)) ? rest.indexOf('\r\n\r\n') : -1;
    if (end < 0) return rest;
    rest = rest.subarray(end + 4);
  }
}

/** Whether this is the beginning of an interim reply, or may become it. */
function mayBeInterim(bytes: Buffer): boolean {
  const text = start(bytes);
  return INTERIM.test(text) || INTERIM.test(text + 'HTTP/1.1 100'.slice(text.length));
}

function start(bytes: Buffer): string {
  return bytes.subarray(0, INTERIM_LENGTH).toString('latin1');
}
