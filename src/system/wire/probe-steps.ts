/** The steps that system/wire/probe.ts goes, each a promise. */

import { once } from 'node:events';
import { type RequestOptions, request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemCode } from '../../errors';
import type { EndpointFacts, TlsFacts } from '../../world/probes';
import type { Env } from '../../world/streams';
import { startTls } from './connection';
import type { Route } from './proxy';

/** Authorities to verify with; undefined is Node's own. */
export interface Roots {
  readonly ca: string[] | undefined;
  readonly from: string | undefined;
}

export function connectTo(host: string, port: number): Socket {
  // Whoever waits for it hears of an error too; one that comes when nobody waits any more must not end the program.
  return connect({ host, port }).on('error', () => {});
}

/**
 * Verification is looked at and not enforced here, so that a refused certificate can be shown: nothing is sent before
 * {@link verify} has looked. Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED decides nothing.
 */
export async function secure(plain: Socket, host: string, { ca }: Roots, env: Env): Promise<TLSSocket> {
  const socket = startTls(
    { env, warn() {} },
    {
      socket: plain,
      host,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca }),
    },
  ).on('error', () => {});
  const closed = once(socket, 'close').then(() => {
    throw Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
  });
  await Promise.race([once(socket, 'secureConnect'), closed]);
  closed.catch(() => {});
  return socket;
}

export function verify({ authorized, authorizationError: problem }: TLSSocket): void {
  if (authorized) return;
  const code = systemCode(problem) ?? String(problem);
  throw Object.assign(new Error(code), { code });
}

export function tlsFacts(socket: TLSSocket, { from }: Roots): TlsFacts {
  const { subject, issuer, valid_to } = socket.getPeerCertificate();
  const name = (holder: typeof subject | undefined): string =>
    [holder?.CN ?? holder?.O ?? 'no name'].flat().join(', ');
  return {
    protocol: socket.getProtocol() ?? '',
    subject: name(subject),
    issuer: name(issuer),
    validToMs: Date.parse(valid_to),
    trustedBy: from,
  };
}

/** RFC 9110 section 9.3.6. */
export function tunnel(
  socket: Socket,
  proxy: NonNullable<Route['proxy']>,
  host: string,
  port: number,
): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const authorization = proxy.authorization ? { 'proxy-authorization': proxy.authorization } : {};
  return new Promise((resolve, reject) => {
    ask({ method: 'CONNECT', path: authority, headers: { host: authority, ...authorization } }, socket)
      .once('connect', ({ statusCode = 0 }, through: Socket) => {
        if (statusCode >= 200 && statusCode < 300) resolve(through);
        else reject(Object.assign(new Error(`it answered ${statusCode}`), { code: `HTTP_${statusCode}` }));
      })
      .once('error', reject)
      .end();
  });
}

/** No credentials, and any status will do. */
export function head(
  url: URL,
  socket: Socket,
  { userAgent, now }: { readonly userAgent: string; now(): number },
): Promise<NonNullable<EndpointFacts['reply']>> {
  const startedMs = now();
  const headers = { host: url.host, 'user-agent': userAgent, connection: 'close' };
  return new Promise((resolve, reject) => {
    ask({ method: 'HEAD', path: url.pathname, headers }, socket)
      .once('response', ({ statusCode, headers: { date } }) => {
        const endedMs = now();
        // The header has whole seconds, cut off: half of one is added.
        const dateMs = Date.parse(date ?? '') + 500;
        resolve({
          status: statusCode ?? 0,
          ms: endedMs - startedMs,
          skewMs: Number.isNaN(dateMs) ? undefined : (startedMs + endedMs) / 2 - dateMs,
        });
      })
      .once('error', reject)
      .end();
  });
}

function ask(options: RequestOptions, socket: Socket) {
  const asked = request({ ...options, createConnection: () => socket });
  return asked.on('error', () => {});
}
