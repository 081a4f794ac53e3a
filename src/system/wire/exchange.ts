/** One request over a connection that stands. */
import type { Socket } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import { GwtokenError } from '../../errors';
import type { Fetch, FetchReply } from '../../world/wire';
import { over } from './one-socket';

interface WireReply extends Omit<FetchReply, 'body'> {
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the reply tells where its body ends; otherwise the end of the connection does. */
  readonly isFramed: boolean;
}

/** Sends the request and gives the reply once its headers are there; whoever opened the socket closes it. */
export async function exchange(
  socket: Socket,
  url: URL,
  { method, headers, body }: Parameters<Fetch>[1],
): Promise<WireReply> {
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
    isFramed: ['content-length', 'transfer-encoding'].some((name) => name in reply.headers),
  };
}
