/** One request over an open connection. */
import type { Socket } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import type { FormReply, PostOptions } from '../../world';
import { withClient } from './one-socket';

export interface WireReply extends FormReply {
  /** True if the reply says where its body ends; otherwise that ends with the connection. */
  readonly isFramed: boolean;
}

/** Sends the request, and resolves with the reply once it has headers. The caller closes the socket. */
export async function exchange(
  socket: Socket,
  url: URL,
  { method, headers, body }: PostOptions,
): Promise<WireReply> {
  const reply = await withClient(socket, url.origin, (client) =>
    request.call(client, {
      path: url.pathname,
      method,
      // Without the header a server may use any encoding (RFC 9110 section 12.5.3).
      headers: { ...headers, 'accept-encoding': 'identity' },
      body,
    }),
  );
  return {
    status: reply.statusCode,
    headers: { get: (name) => [reply.headers[name] ?? []].flat().join(', ') || null },
    body: reply.body,
    isFramed: ['content-length', 'transfer-encoding'].some((name) => name in reply.headers),
  };
}
