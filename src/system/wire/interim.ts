/**
 * Interim replies before the final one. RFC 9110 section 15.2 has a client bear them although it did not ask; undici
 * breaks off at a 100, and it and Node's own client take any of them for the answer to a CONNECT. A 101 is left to them:
 * that one is final.
 */

/**
 * Takes a reply's bytes as they come, and gives nothing until one stands at their beginning that is not interim: then
 * those from there on, and it is done.
 */
export function skippingInterim(): (chunk: Buffer) => Buffer | undefined {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = afterInterim(Buffer.concat([held, chunk]));
    return mayBeInterim(held) && held.length < LIMIT ? undefined : held;
  };
}

/** More than any interim reply has: what is held back must not grow for ever. */
const LIMIT = 64 * 1024;
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d/;
const INTERIM_LENGTH = 'HTTP/1.1 100'.length;

/** Without the whole interim replies at the beginning. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = INTERIM.test(start(rest)) ? rest.indexOf('\r\n\r\n') : -1;
    if (end < 0) return rest;
    rest = rest.subarray(end + 4);
  }
}

/** Whether more bytes may make an interim reply of them. */
function mayBeInterim(bytes: Buffer): boolean {
  const text = start(bytes);
  return INTERIM.test(text) || INTERIM.test(text + 'HTTP/1.1 100'.slice(text.length));
}

function start(bytes: Buffer): string {
  return bytes.subarray(0, INTERIM_LENGTH).toString('latin1');
}
