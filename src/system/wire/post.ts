/**
 * One request over one connection, by undici: it connects, tunnels and speaks HTTP. Here it is told whom to
 * trust and where to look names up, and what it does is reported.
 */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { buildConnector } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';
import { systemCode } from '../../errors';
import { foreign } from '../../text';
import type { ConnectionProgress, FormReply, PostOptions, TlsFacts } from '../../world';
import { asLookup, type Find } from './dns';
import type { HttpProxy } from './proxy';
import type { OpenClient } from './tunnel';

/** The CAs beyond the built-in ones, as PEM texts with those, and the place that they come from. */
export interface Trust {
  readonly ca?: string[];
  readonly from?: string;
}

export interface Attempt {
  readonly url: URL;
  readonly options: PostOptions;
  readonly proxy: HttpProxy | undefined;
  readonly trust: Trust;
  readonly find: Find;
  readonly signal: AbortSignal;
  report(facts: Partial<ConnectionProgress>): void;
}

/** Delay before the next address of a name is tried: far hosts need more than Node's 250 ms. */
const NEXT_ADDRESS_AFTER_MS = 500;

/** undici's code for the end of a connection that it has no more use for. */
const AS_WISHED = 'UND_ERR_INFO';

/** Posts over a new connection, which ends with the signal. Rejects with Node's or undici's error. */
export async function post(attempt: Attempt): Promise<FormReply> {
  const { url, options, proxy, signal, report } = attempt;
  let lose: (cause: Error) => void = () => {};
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const openClient: OpenClient = (to, origin, connect) =>
    // undici's own limits are off: the caller's holds for everything.
    new Client(origin, { connect, maxHeaderSize: 16 * 1024, headersTimeout: 0, bodyTimeout: 0 })
      .on('connect', () => report({ waitingFor: to === 'proxy' ? 'tunnel' : 'reply' }))
      .on('connectionError', (_origin, _targets, error) => lose(error))
      .on('disconnect', (_origin, _targets, error) => {
        if (to === 'proxy' && systemCode(error) === AS_WISHED) report({ waitingFor: 'handshake' });
        else lose(error);
      });
  const ofProxy = connectOptions(attempt);
  const ofEndpoint = { ...ofProxy, checkServerIdentity: reportingCertificate(attempt) };
  const dispatcher = proxy
    ? (await import('./tunnel')).openTunnel(proxy, ofProxy, ofEndpoint, openClient)
    : openClient('endpoint', url.origin, ofEndpoint);
  signal.throwIfAborted();
  signal.addEventListener('abort', () => void dispatcher.destroy(), { once: true });

  const sent = request.call(dispatcher, {
    origin: url.origin,
    path: url.pathname,
    method: options.method,
    // Without the header a server may use any encoding (RFC 9110 section 12.5.3).
    headers: { ...options.headers, 'accept-encoding': 'identity' },
    body: options.body,
  });
  // A connection that breaks before the request is sent undici would open again and again.
  const reply = await Promise.race([sent, lost.then((cause) => Promise.reject(cause))]);
  report({ waitingFor: 'body' });
  const { statusCode: status, headers } = reply;
  const body = await readUpTo(options.maxBytes, reply.body);
  const isFramed = 'content-length' in headers || 'transfer-encoding' in headers;
  if (status === 200 && !isFramed && body !== 'too-long') {
    // Its end is that of the connection (RFC 9112 section 6.3), and a cut looks like one to undici.
    const cause = await lost;
    if (systemCode(cause) !== AS_WISHED) throw cause;
  }
  return { status, headers: { get: (name) => [headers[name] ?? []].flat().join(', ') || null }, body };
}

/** Returns what undici connects with, to the endpoint and to a proxy. */
function connectOptions({
  url,
  options,
  proxy,
  trust,
  find,
  signal,
  report,
}: Attempt): buildConnector.BuildOptions {
  const host = (proxy?.url ?? url).hostname.replace(/^\[|\]$/g, '');
  report({ waitingFor: 'connect', ...(isIP(host) === 0 ? {} : { addresses: [host] }) });
  return {
    // Ends a socket that is still connecting, which undici does not; its own limit is off.
    signal,
    timeout: 0,
    // It is for one request; Wine has no keep-alive, and Node could not connect there.
    keepAlive: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: asLookup(async (name, wanted) => {
      report({ waitingFor: 'lookup' });
      const found = await find(name, wanted);
      const addresses = found.map(({ address }) => address);
      options.trace?.(`the addresses of ${name}: ${addresses.join(', ')}`);
      report({ waitingFor: 'connect', addresses });
      return found;
    }),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
    rejectUnauthorized: true,
    checkServerIdentity: verifyName,
    // As in curl: an intermediate CA, or the certificate itself, is enough; its root is not needed.
    ...(trust.ca === undefined ? {} : { ca: trust.ca, allowPartialTrustChain: true }),
  };
}

/** Verifies the name of a certificate. The CN does not count: no name constraints of a CA hold for it. */
function verifyName(name: string, certificate: PeerCertificate): Error | undefined {
  return checkServerIdentity(name, { ...certificate, subject: { ...certificate.subject, CN: '' } });
}

function reportingCertificate({ trust, report }: Attempt): typeof verifyName {
  return (name, certificate) => {
    report({ waitingFor: 'handshake', tls: factsOf(certificate, trust.from) });
    return verifyName(name, certificate);
  };
}

async function readUpTo(maxBytes: number, body: AsyncIterable<Uint8Array>): Promise<FormReply['body']> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return 'too-long';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function factsOf({ subject, issuer, valid_to }: PeerCertificate, trustedBy: string | undefined): TlsFacts {
  const name = (holder: typeof subject | undefined): string =>
    foreign([holder?.CN ?? holder?.O ?? 'no name'].flat().join(', '));
  return { subject: name(subject), issuer: name(issuer), validToMs: Date.parse(valid_to), trustedBy };
}
