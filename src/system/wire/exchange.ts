/** One request over a connection that stands, through undici's client and nothing else of it. */
import type { Socket } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { Fetch, FetchReply } from '../../world/wire';
import { skipContinue } from './interim-reply';

/** Sends the request and gives the reply once its headers are there; whoever opened the socket closes it. */
export async function exchange(
  socket: Socket,
  url: URL,
  { method, headers, body }: Parameters<Fetch>[1],
): Promise<Omit<FetchReply, 'body'> & { body: AsyncIterable<Uint8Array> }> {
  let used = false;
  const gone = new Error('closed');
  let fault: Error = gone;
  socket.once('error', (error) => {
    fault = error;
  });
  skipContinue(socket);
  const client = new Client(url.origin, {
    connect: (_, done) => {
      // A client whose connection breaks before it is used asks for another: ours is the only one. What broke it
      // is thrown below: given here, undici's own socket errors would make it ask again and again.
      const isGone = used || socket.destroyed;
      used = true;
      queueMicrotask(() => (isGone ? done(gone, null) : done(null, socket)));
    },
    // The caller's signal limits everything; undici's own limits would only race it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const reply = await request
    .call(client, { path: url.pathname, method, headers, body: body ?? null })
    .catch((error) => Promise.reject(error === gone ? fault : error));
  const encoding = [reply.headers['content-encoding'] ?? []].flat().join(', ').trim();
  return {
    status: reply.statusCode,
    headers: { get: (name) => [reply.headers[name] ?? null].flat()[0] ?? null },
    body:
      encoding === '' || encoding.toLowerCase() === 'identity'
        ? reply.body
        : (await import('./decoding')).decoded(reply.body, encoding, url.href),
  };
}
