/** undici's client, by its path inside the package: it brings no agent, no pool and no cache along. */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';

/** Has a client ask over the one socket that stands, and fails when that one breaks. */
export async function over<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  skipInterim(socket);
  let used = false;
  const gone = new Error('closed');
  // One may have come already: with TLS 1.3 the server refuses us when the handshake has ended for us.
  let fault: Error = socket.errored ?? gone;
  socket.once('error', (error) => {
    fault = error;
  });
  const client = new Client(origin, {
    connect: (_, done) => {
      // A client whose connection breaks before it is used asks for another: ours is the only one, and given once more
      // it would be asked for again, for ever. What broke it is thrown below: given here, undici's own socket errors
      // would make it ask again and again too.
      const isGone = used || socket.destroyed;
      used = true;
      queueMicrotask(() => (isGone ? done(gone, null) : done(null, socket)));
    },
    // The caller's limit holds for everything; undici's own would only race it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return ask(client).catch((error) => Promise.reject(error === gone ? fault : error));
}

/**
 * Takes the interim replies before the final one out of the bytes that `read()` gives, which is all that undici reads
 * by. RFC 9110 section 15.2 has a client bear them although it did not ask; undici breaks off at a 100, and takes any of
 * them for the answer to a CONNECT. A 101 is left to it: that one is final.
 */
function skipInterim(socket: Socket): void {
  const { read } = socket;
  let held: Buffer = Buffer.alloc(0);
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null) return null;
      held = afterInterim(Buffer.concat([held, chunk]));
      if (mayBeInterim(held) && held.length < LIMIT) continue;
      socket.read = read;
      return held;
    }
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
