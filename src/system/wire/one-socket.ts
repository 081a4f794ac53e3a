/** undici's client, by its path inside the package: it brings no agent, no pool and no cache along. */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';

/** Has a client ask over the one socket that stands, and fails when that one breaks. */
export async function over<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  let used = false;
  const gone = new Error('closed');
  let fault: Error = gone;
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
