/**
 * Replaces one-socket.ts in the GitHub action, by Node's own HTTP client: undici is five times as
 * large as everything else in the action. Its errors are undici's, which problems.ts has the sentences for.
 */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import { systemCode } from '../../errors';
import { skippingInterim } from './interim';

type Asked = Pick<RequestOptions, 'path' | 'method' | 'headers'> & { readonly body?: string | null };

/** The part of undici's client that is used, with the same interface. */
interface Client {
  request(asked: Asked): Promise<Pick<IncomingMessage, 'statusCode' | 'headers'> & { body: Readable }>;
  connect(asked: Asked): Promise<Pick<IncomingMessage, 'statusCode' | 'headers'> & { socket: Socket }>;
}

/** Lets a client send its request over the open socket; fails when the socket does. */
export async function over<T>(
  socket: Socket,
  origin: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  // With TLS 1.3 the server can reject us after the handshake has ended on our side. Of a socket that has gone already
  // Node's client hears nothing, and waits.
  if (socket.destroyed) throw socket.errored ?? new Error('closed');
  let fault: Error | undefined;
  // What happened is reported to the request; the body then only sees that its connection has closed.
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
        sent.once('connect', ({ statusCode, headers }, tunnel) => {
          resolve({ statusCode, headers, socket: tunnel as Socket });
        });
      }),
  });
}

/** Hides interim replies from Node's client, which parses what arrives as it arrives. */
function skipInterim(socket: Socket): void {
  const { push } = socket;
  const skipped = skippingInterim();
  socket.push = (chunk: Buffer | null) => {
    const rest = chunk && skipped(chunk);
    // True: keep reading.
    if (rest === undefined) return true;
    socket.push = push;
    return push.call(socket, rest);
  };
}

/** The body; if it breaks off, with the error behind that. */
function withErrors(reply: IncomingMessage, meant: (error: Error) => Error): Readable {
  const body = new PassThrough();
  reply.once('error', (error) => body.destroy(meant(error)));
  return reply.pipe(body);
}

/** Node reports every premature end as a reset, and has its own codes for invalid HTTP. */
function inWordsOfUndici(error: Error): Error {
  const code = systemCode(error) ?? '';
  if (code === 'HPE_HEADER_OVERFLOW')
    return Object.assign(new Error(code), { code: 'UND_ERR_HEADERS_OVERFLOW' });
  if (code === 'ECONNRESET') return new Error('closed');
  return code.startsWith('HPE_') ? Object.assign(new Error(code), { name: 'HTTPParserError' }) : error;
}
