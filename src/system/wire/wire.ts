/**
 * The wire to the token endpoint: one POST over a new connection, without redirects. undici connects, tunnels
 * and speaks HTTP. This module decides on trust and name lookups. Rarely used parts are loaded on first use.
 */
import { isIP } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { buildConnector, ProxyAgent } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';
import { systemCode } from '../../errors';
import { cleaned, warn } from '../../text';
import type { ConnectionProgress, FormReply, PostForm, PostOptions, World } from '../../world';
import { readAll } from '../files/read-file';
import { withinLimit } from '../limit';
import type { Trust } from './certificates';
import { asLookup, type Find, finder } from './dns';
import type { HttpProxy, OpenClient, OptionsFor, Peer } from './proxy';

/** One request over one connection. */
interface Attempt {
  readonly url: URL;
  readonly options: PostOptions;
  readonly proxy: HttpProxy | undefined;
  readonly find: Find;
  /** Returns the TLS options for a peer. */
  tlsFor(to: Peer): buildConnector.BuildOptions;
  readonly signal: AbortSignal;
  report(facts: Partial<ConnectionProgress>): void;
}

type Process = Pick<NodeJS.Process, 'env' | 'platform' | 'versions' | 'removeAllListeners'>;

/** Delay before the next address of a name is tried. Distant hosts need more than Node's 250 ms. */
const NEXT_ADDRESS_AFTER_MS = 500;

/** Returns the function that posts, each time over a new connection. */
export function openWire(proc: Process, streams: Pick<World, 'stderr'>): PostForm {
  const { env, versions } = proc;
  // V8 of Node 20 optimizes undici's parser (llhttp in wasm) for longer than the parser runs: half of a cold
  // start. Later versions do not need the flag: they warn about it or reject it.
  if (versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only');
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    warn(streams, 'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified');
    // Removes Node's warning of insecure connections, which gwtoken does not make.
    proc.removeAllListeners('warning');
  }

  return async (address, options) => {
    const { caFile, timeoutMs } = options;
    const url = new URL(address);
    const isProxySet = Boolean(env['https_proxy'] || env['HTTPS_PROXY']);
    const proxy = isProxySet ? (await import('./proxy')).proxyFor(url, env) : undefined;
    const progress: ConnectionProgress = { waitingFor: 'connect' };
    const report = (facts: Partial<ConnectionProgress>): void => {
      Object.assign(progress, facts);
      options.onProgress?.(facts);
    };
    if (proxy) {
      options.trace?.(`using ${proxy.label}`);
      report({ proxy: proxy.name });
    }
    const send = (signal: AbortSignal): Promise<FormReply> => {
      const attempt = { url, options, proxy, signal, report, find: finder(proc.platform, env, signal) };
      if (url.protocol === 'https:') return postSecurely(attempt, proc);
      return post({ ...attempt, tlsFor: () => ({}) });
    };
    try {
      return await withinLimit(timeoutMs, send, options.signal);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      const { wireProblem } = await import('./problems');
      throw wireProblem(error, { url, proxy, progress, caFile, timeoutMs, env });
    }
  };
}

/** Posts over TLS. If the CA of the certificate is unknown, posts once more with the system's CAs. */
async function postSecurely(
  attempt: Omit<Attempt, 'tlsFor'>,
  { env, platform }: Process,
): Promise<FormReply> {
  const { options, report } = attempt;
  const { tlsOptions, trustFile, trustSystem } = await import('./certificates');
  const postTrusting = (trust: Trust): Promise<FormReply> =>
    post({ ...attempt, tlsFor: (to) => tlsOptions(trust, to === 'endpoint' ? report : () => {}) });
  const trust = options.caFile === undefined ? {} : trustFile(options.caFile, env);
  try {
    return await postTrusting(trust);
  } catch (error) {
    const { UNKNOWN_CA } = await import('./problems');
    const system = UNKNOWN_CA.test(systemCode(error) ?? '') && trustSystem(trust, env, platform);
    if (!system) throw error;
    options.trace?.(`unknown CA; retrying with the CAs of ${system.from}`);
    return await postTrusting(system);
  }
}

/** Posts over a new connection, which ends with the signal. Rejects with Node's or undici's error. */
async function post(attempt: Attempt): Promise<FormReply> {
  const { url, options, signal, report } = attempt;
  const { dispatcher, closed } = await openConnection(attempt);
  signal.throwIfAborted();
  signal.addEventListener('abort', () => void dispatcher.destroy(), { once: true });
  const sent = request.call(dispatcher, {
    origin: url.origin,
    path: url.pathname,
    method: options.method,
    headers: options.headers,
    body: options.body,
  });
  // If the connection breaks before the request is sent, undici connects again without end.
  const reply = await Promise.race([sent, closed.then((cause) => Promise.reject(cause))]);
  report({ waitingFor: 'body' });
  const { statusCode: status, headers } = reply;
  const body = await readAll(reply.body, options.maxBytes).catch((error: unknown) => {
    if (systemCode(error) === 'EFBIG') return 'too-long' as const;
    throw error;
  });
  const isFramed = 'content-length' in headers || 'transfer-encoding' in headers;
  if ((status === 200 || status === 201) && !isFramed && body !== 'too-long') {
    // The body ends with its connection (RFC 9112 section 6.3). undici reports a cut as such an end too.
    const cause = await closed;
    if (!isClosedByUndici(cause)) throw cause;
  }
  return { status, headers: { get: (name) => [headers[name] ?? []].flat().join(', ') || null }, body };
}

/** The dispatcher of a request, and the reason why its connection ended. */
interface Connection {
  readonly dispatcher: Client | ProxyAgent;
  readonly closed: Promise<Error>;
}

/** Prepares a connection to the endpoint, directly or through its proxy. The first request opens it. */
async function openConnection(attempt: Attempt): Promise<Connection> {
  const { url, proxy, report } = attempt;
  let onClosed: (cause: Error) => void = () => {};
  const closed = new Promise<Error>((resolve) => {
    onClosed = resolve;
  });
  const host = (proxy?.url ?? url).hostname.replace(/^\[|\]$/g, '');
  report({ waitingFor: 'connect', ...(isIP(host) === 0 ? {} : { addresses: [host] }) });
  const optionsFor: OptionsFor = (to) => ({ ...connectOptions(attempt), ...attempt.tlsFor(to) });
  const openEndpoint: OpenClient = (origin, connect) =>
    openClient(origin, connect, onClosed).on('connect', () => report({ waitingFor: 'reply' }));
  if (!proxy) return { dispatcher: openEndpoint(url.origin, optionsFor('endpoint')), closed };
  const openProxy: OpenClient = (origin, connect) =>
    openClient(origin, connect, (cause) => {
      // undici hands the socket to the tunnel and reports that as a close: the connection has not ended.
      if (!isClosedByUndici(cause)) onClosed(cause);
    }).on('connect', () => report({ waitingFor: 'tunnel' }));
  const { openTunnel } = await import('./proxy');
  const onTunnel = (): void => report({ waitingFor: 'handshake' });
  return { dispatcher: openTunnel(proxy, { optionsFor, openProxy, openEndpoint, onTunnel }), closed };
}

/** Opens a client without undici's own limits, because the caller's limit covers everything. */
function openClient(
  origin: Parameters<OpenClient>[0],
  connect: Parameters<OpenClient>[1],
  onClosed: (cause: Error) => void,
): Client {
  return new Client(origin, { connect, maxHeaderSize: 16 * 1024, headersTimeout: 0, bodyTimeout: 0 })
    .on('connectionError', (_origin, _targets, error) => onClosed(error))
    .on('disconnect', (_origin, _targets, error) => onClosed(error));
}

/** Returns whether undici closed the connection because it did not need it any more. */
function isClosedByUndici(cause: Error): boolean {
  return systemCode(cause) === 'UND_ERR_INFO';
}

/** Returns the connection options for undici. */
function connectOptions({ options, find, signal, report }: Attempt): buildConnector.BuildOptions {
  return {
    // Ends a socket that is still connecting, which undici does not do.
    signal,
    // Turns off undici's own limit.
    timeout: 0,
    // One request needs no keep-alive, and Node cannot set it in Wine.
    keepAlive: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: asLookup(async (name, wanted) => {
      report({ waitingFor: 'lookup' });
      const found = await find(name, wanted);
      const addresses = found.map(({ address }) => address);
      options.trace?.(`the addresses of ${name}: ${cleaned(addresses.join(', '))}`);
      report({ waitingFor: 'connect', addresses });
      return found;
    }),
  };
}
