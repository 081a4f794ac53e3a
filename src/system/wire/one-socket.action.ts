/**
 * What one-socket.ts does, by Node's own HTTP: the GitHub action has this in its place, since undici is five times as
 * long as all else that the action needs. Its errors are those of undici, which problems.ts has the words for.
 */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { systemCode } from '../../errors';
import { skippingInterim } from './interim';

type Asked = Pick<RequestOptions, 'path' | 'method' | 'headers'> & { readonly body?: string | null };

/** The part of undici's client that is used, and in its form. */
interface Client {
  request(asked: Asked): Promise<Pick<IncomingMessage, 'statusCode' | 'headers'> & { body: Readable }>;
  connect(asked: Asked): Promise<Pick<IncomingMessage, 'statusCode' | 'headers'> & { socket: Socket }>;
}

/** Has a client ask over the one socket that stands, and fails when that one breaks. */
export async function over<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  // One may have come already: with TLS 1.3 the server refuses us when the handshake has ended for us.
  let fault: Error | undefined = socket.errored ?? undefined;
  socket.once('error', (error) => {
    fault = error;
  });
  // What is no HTTP is told to the request; the body then only hears that its connection has gone.
  const meant = (error: Error): Error => {
    fault ??= inWordsOfUndici(error);
    return fault;
  };
  const send = ({ body, headers, ...asked }: Asked) => {
    const host = new URL(origin).host;
    return request({ ...asked, headers: { host, ...headers }, createConnection: () => socket }).end(body);
  };
  return ask({
    request: (asked) =>
      new Promise((resolve, reject) => {
        const sent = send(asked);
        sent.on('error', (error) => reject(meant(error)));
        sent.once('upgrade', () => reject(new Error('bad upgrade')));
        sent.once('response', (reply) => {
          const { statusCode, headers } = reply;
          resolve({ statusCode, headers, body: withErrors(reply, meant) });
        });
      }),
    connect: (asked) =>
      new Promise((resolve, reject) => {
        skipInterim(socket);
        const sent = send({ ...asked, method: 'CONNECT' });
        sent.on('error', (error) => reject(meant(error)));
        sent.once('connect', ({ statusCode, headers }, tunnel, head) => {
          if (head.length > 0) tunnel.unshift(head);
          resolve({ statusCode, headers, socket: tunnel as Socket });
        });
      }),
  });
}

/** Has the socket take in nothing of an interim reply: Node's client looks at what comes as it comes. */
function skipInterim(socket: Socket): void {
  const { push } = socket;
  const skipped = skippingInterim();
  socket.push = (chunk: Buffer | null) => {
    const rest = chunk && skipped(chunk);
    // True: it may go on.
    if (rest === undefined) return true;
    socket.push = push;
    return push.call(socket, rest);
  };
}

/** The body, which ends in what was meant if it breaks off. */
function withErrors(reply: IncomingMessage, meant: (error: Error) => Error): Readable {
  const body = new PassThrough();
  reply.once('error', (error) => body.destroy(meant(error)));
  return reply.pipe(body);
}

/** Node calls every connection that ends too early reset, and has codes of its own for what is no HTTP. */
function inWordsOfUndici(error: Error): Error {
  const code = systemCode(error) ?? '';
  if (code === 'HPE_HEADER_OVERFLOW')
    return Object.assign(new Error(code), { code: 'UND_ERR_HEADERS_OVERFLOW' });
  if (code === 'ECONNRESET' || code === 'HPE_INVALID_EOF_STATE') return new Error('closed');
  return code.startsWith('HPE_') ? Object.assign(new Error(code), { name: 'HTTPParserError', code }) : error;
}
