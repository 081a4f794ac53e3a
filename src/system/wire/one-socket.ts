/** undici's client, by its path inside the package: it brings no agent, no pool and no cache along. */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';
import { skippingInterim } from './interim';

/** Lets a client send its request over the open socket; fails when the socket does. */
export async function over<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  skipInterim(socket);
  let used = false;
  const gone = new Error('closed');
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
