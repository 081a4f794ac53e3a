/** Interim replies (1xx), which stand before the final one and are no answer to the request. */
import type { Socket } from 'node:net';

/** Hides interim replies from undici, which gives up at a 100 and reads a socket only by `read()`. */
export function skipInterim(socket: Socket): void {
  const { read } = socket;
  const skipped = interimFilter();
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null) return null;
      const rest = skipped(chunk);
      if (rest === undefined) continue;
      socket.read = read;
      return rest;
    }
  };
}

/** More than any interim reply has: the bytes that are held back must not grow without limit. */
const LIMIT = 64 * 1024;
/** Not a 101, which is final. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d/;
const SHORTEST = 'HTTP/1.1 100';

/**
 * Returns a filter of interim replies, which a client must accept even if it did not ask for them (RFC 9110
 * section 15.2); undici takes one for the answer to a CONNECT. It gets the bytes as they arrive, and returns
 * undefined as long as all of them are interim, then what follows.
 */
export function interimFilter(): (chunk: Buffer) => Buffer | undefined {
  const start = (bytes: Buffer): string => bytes.subarray(0, SHORTEST.length).toString('latin1');
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const end = INTERIM.test(start(held)) ? held.indexOf('\r\n\r\n') : -1;
      if (end < 0) break;
      held = held.subarray(end + 4);
    }
    const text = start(held);
    const mayBeInterim = INTERIM.test(text + SHORTEST.slice(text.length));
    return mayBeInterim && held.length < LIMIT ? undefined : held;
  };
}
