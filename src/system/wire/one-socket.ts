/**
 * One request over one socket that is already open. undici's client writes the request and reads the reply;
 * it is imported by its path inside the package, so that no agent, pool or cache comes along. It may have the
 * socket once: if that breaks, the request fails with the socket's error, and nothing is sent again behind
 * gwtoken's back. Interim replies are taken out before undici sees them.
 */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';
import { skipInterim } from './interim';

/** Lets a client send its request over the open socket. Rejects with the socket's error if that breaks. */
export async function withClient<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  skipInterim(socket);
  const gone = new Error('closed');
  let isUsed = false;
  const client = new Client(origin, {
    // If the connection breaks before the request is sent, undici asks for another one. It would ask without
    // end if it got the broken one or one of its own socket errors, so it gets the error `gone`.
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
  try {
    return await ask(client);
  } catch (error) {
    // With TLS 1.3 a server's refusal may come after the handshake has ended here, and before the request.
    throw error === gone ? (socket.errored ?? gone) : error;
  }
}
