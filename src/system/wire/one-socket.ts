/** undici's client, by its path inside the package: it brings no agent, no pool and no cache along. */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';

/** Lets a client send its request over the open socket; fails when the socket does. */
export async function withClient<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  skipInterim(socket);
  const gone = new Error('closed');
  let isUsed = false;
  const client = new Client(origin, {
    // If a connection breaks before the request is sent, undici asks for a new one, in an endless loop of microtasks if it
    // gets the broken one again. Ours is the only one, so it is given once. What broke it is thrown below: undici would
    // ask again for its own socket errors too.
    connect: (_, done) => {
      const isGone = isUsed || socket.destroyed;
      isUsed = true;
      queueMicrotask(() => (isGone ? done(gone, null) : done(null, socket)));
    },
    // As Node's own; undici would take it from node:http, which is not loaded.
    maxHeaderSize: 16 * 1024,
    // The caller's limit holds for everything; undici's own would only race it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // With TLS 1.3 the server may refuse us when the handshake has ended for us, and before the request.
  return ask(client).catch((error) => Promise.reject(error === gone ? (socket.errored ?? gone) : error));
}

/** Hides interim replies from undici, which reads only by `read()`. */
function skipInterim(socket: Socket): void {
  const { read } = socket;
  const skipped = skippingInterim();
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

/** Larger than any interim reply: what is held back must not grow without limit. */
const LIMIT = 64 * 1024;
/** A 101 is not skipped: it is final. */
const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d/;
const SHORTEST = 'HTTP/1.1 100';

/**
 * Skips the interim replies (1xx) before the final one. A client must accept them even if it did not ask for them (RFC
 * 9110 section 15.2), but undici gives up at a 100, and takes one for the answer to a CONNECT. The returned function gets
 * the bytes as they arrive. It returns undefined while they are all interim, and then once what follows.
 */
export function skippingInterim(): (chunk: Buffer) => Buffer | undefined {
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
