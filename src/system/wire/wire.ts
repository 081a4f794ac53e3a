/**
 * The wire to the token endpoint: one POST over a new connection, without redirects. undici connects and
 * speaks HTTP; dns, proxy and certificates decide whom it connects to and trusts, and problems words
 * failures.
 */
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { buildConnector, Client } from 'undici';
import { warn } from '../../note';
import type { FormReply, PostForm, PostOptions } from '../../post-form';
import { systemCode } from '../../system-errors';
import type { World } from '../../world';
import { readAll } from '../files/read-file';
import { withinLimit } from '../limit';
import type { Trust } from './certificates';
import { lookupUntil } from './dns';
import type { ConnectionProgress } from './problems';
import { type HttpProxy, proxyFor, throughTunnel } from './proxy';

/** One request over one connection. */
interface Attempt {
  readonly url: URL;
  readonly options: PostOptions;
  readonly proxy: HttpProxy | undefined;
  readonly lookup: LookupFunction;
  readonly tls: buildConnector.BuildOptions;
  readonly signal: AbortSignal;
  readonly progress: ConnectionProgress;
}

type Process = Pick<NodeJS.Process, 'env' | 'platform' | 'versions' | 'removeAllListeners'>;

/** Delay before the next address of a name is tried. Distant hosts need more than Node's 250 ms. */
const NEXT_ADDRESS_AFTER_MS = 500;

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
    const url = new URL(address);
    const proxy = proxyFor(url, env);
    const progress: ConnectionProgress = { peer: proxy ? 'proxy' : 'endpoint', waitingFor: 'connection' };
    if (proxy) options.trace(`using ${proxy.label}`);
    const send = (signal: AbortSignal): Promise<FormReply> => {
      const lookup = lookupUntil(signal, proc, options.trace);
      const attempt = { url, options, proxy, lookup, signal, progress };
      if (url.protocol === 'https:') return postSecurely(attempt, proc);
      return post({ ...attempt, tls: {} });
    };
    try {
      return await withinLimit(options.timeoutMs, send, options.signal);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      const { wireProblem } = await import('./problems');
      throw wireProblem(error, { url, proxy, progress, caFile: options.caFile });
    }
  };
}

/** Posts over TLS. If the CA of the certificate is unknown, posts once more with the system's CAs. */
async function postSecurely(attempt: Omit<Attempt, 'tls'>, { env, platform }: Process): Promise<FormReply> {
  const { options, progress } = attempt;
  const { tlsOptions, trustFile, trustSystem } = await import('./certificates');
  const postTrusting = (trust: Trust): Promise<FormReply> =>
    post({ ...attempt, tls: tlsOptions(trust, options.trace) });
  const trust = options.caFile === undefined ? {} : trustFile(options.caFile, env);
  try {
    return await postTrusting(trust);
  } catch (error) {
    const { UNKNOWN_CA } = await import('./problems');
    const isUnknown = progress.waitingFor === 'certificate' && UNKNOWN_CA.test(systemCode(error) ?? '');
    const system = isUnknown && trustSystem(trust, env, platform);
    if (!system) throw error;
    options.trace(`unknown CA; retrying with the CAs of ${system.from}`);
    return await postTrusting(system);
  }
}

/** Posts over a new connection, which ends with the signal. Rejects with Node's or undici's error. */
async function post(attempt: Attempt): Promise<FormReply> {
  const { url, options, signal, progress } = attempt;
  const client = openClient(url, signal, connectorFor(attempt));
  const reply = await client.request({
    path: url.pathname,
    method: 'POST',
    headers: options.headers,
    body: options.body,
  });
  progress.waitingFor = 'body';
  const { statusCode: status, headers } = reply;
  const body = await readAll(reply.body, options.maxBytes).catch((error: unknown) => {
    if (systemCode(error) === 'EFBIG') return 'too-long' as const;
    throw error;
  });
  return { status, headers: { get: (name) => [headers[name] ?? []].flat().join(', ') || null }, body };
}

/** Returns the connector to the endpoint, directly or through its proxy. */
function connectorFor(attempt: Attempt): buildConnector.connector {
  const { url, proxy, signal } = attempt;
  const toEndpoint = connectorTo('endpoint', attempt);
  if (!proxy) return toEndpoint;
  const toProxy = openClient(proxy.url, signal, connectorTo('proxy', attempt));
  return throughTunnel(proxy, url, toProxy, toEndpoint);
}

/** Returns undici's connector to a peer, which keeps the progress. */
function connectorTo(
  peer: ConnectionProgress['peer'],
  { lookup, tls, signal, progress }: Attempt,
): buildConnector.connector {
  const options: buildConnector.BuildOptions = {
    // Ends a socket that is still connecting, which undici does not do.
    signal,
    // Turns off undici's own limit.
    timeout: 0,
    // One request needs no keep-alive, and Node cannot set it in Wine.
    keepAlive: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup,
    ...tls,
  };
  // The connector returns its socket, which undici's types do not tell.
  const connect = buildConnector(options) as (...call: Parameters<buildConnector.connector>) => TLSSocket;
  return (to, done) => {
    Object.assign(progress, { peer, waitingFor: 'connection' });
    // Without the name that undici passes: for a proxy it is the target's.
    const socket = connect({ ...to, servername: '' }, (...result) => {
      if (result[0] === null) progress.waitingFor = peer === 'proxy' ? 'tunnel' : 'reply';
      // Node sets this only if it rejects the certificate.
      else if (socket.authorizationError) progress.waitingFor = 'certificate';
      done(...result);
    });
  };
}

/**
 * Opens a client for one request, without undici's own limits, because the caller's limit covers everything.
 * If the connection breaks before the request is sent, undici would connect again without end.
 */
function openClient(url: URL, signal: AbortSignal, connect: buildConnector.connector): Client {
  let isUsed = false;
  const connectOnce: buildConnector.connector = (to, done) => {
    if (isUsed) return done(new Error('the connection was closed before the request'), null);
    isUsed = true;
    connect(to, done);
  };
  const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 0, bodyTimeout: 0 };
  const client = new Client(url.origin, { connect: connectOnce, ...limits });
  signal.addEventListener('abort', () => void client.destroy(), { once: true });
  return client;
}
