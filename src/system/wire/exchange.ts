/** One request over a connection that stands. */
import type { Socket } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import { GwtokenError } from '../../errors';
import type { Fetch, FetchReply } from '../../world/wire';
import { over } from './one-socket';

/** Sends the request and gives the reply once its headers are there; whoever opened the socket closes it. */
export async function exchange(
  socket: Socket,
  url: URL,
  { method, headers, body }: Parameters<Fetch>[1],
): Promise<Omit<FetchReply, 'body'> & { body: AsyncIterable<Uint8Array> }> {
  skipContinue(socket);
  const reply = await over(socket, url.origin, (client) =>
    request.call(client, {
      path: url.pathname,
      method,
      // Without the header a server may choose any encoding (RFC 9110 section 12.5.3); a token gains nothing by one.
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: body ?? null,
    }),
  );
  const encoding = [reply.headers['content-encoding'] ?? []].flat().join(', ').trim();
  if (method !== 'HEAD' && !/^(identity)?$/i.test(encoding)) {
    // It is left unread, and fails when its connection is closed.
    reply.body.on('error', () => {});
    const shown = encoding.replace(/[^\x20-\x7e]/g, '?').slice(0, 100);
    throw new GwtokenError(
      'bad-reply',
      `${url.href} answered in an encoding that was not asked for (${shown})`,
      { hints: ['ask the operators of the endpoint, or of a proxy on the way'] },
    );
  }
  return {
    status: reply.statusCode,
    headers: { get: (name) => [reply.headers[name] ?? null].flat()[0] ?? null },
    body: reply.body,
  };
}

/**
 * Takes every `100 Continue` before the final reply out of the bytes that `read()` gives, which is all that undici
 * reads by. Some servers and proxies send one to every POST although nobody asked, RFC 9110 section 15.2 has a client
 * bear it, and undici breaks off.
 */
function skipContinue(socket: Socket): void {
  const { read } = socket;
  let held: Buffer | undefined;
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null) return null;
      held = held === undefined ? chunk : Buffer.concat([held, chunk]);
      const rest = afterContinue(held);
      if (rest === undefined && held.length < LIMIT) continue;
      socket.read = read;
      return rest ?? held;
    }
  };
}

/** More than any interim reply has: what is held back must not grow for ever. */
const LIMIT = 64 * 1024;
const CONTINUE = 'HTTP/1.1 100';

/** What follows the 100 replies that the bytes begin with; undefined while that cannot be told yet. */
function afterContinue(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  for (;;) {
    const start = rest.subarray(0, CONTINUE.length).toString('latin1');
    if (start !== CONTINUE) return CONTINUE.startsWith(start) ? undefined : rest;
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    rest = rest.subarray(end + 4);
  }
}
