/**
 * The connection to the endpoint: DNS, TCP, a proxy's tunnel, TLS. No undici here, so that it is opened while undici
 * is still being loaded. Certificates are verified on every hop.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import {
  connect as connectTls,
  type PeerCertificate,
  type TLSSocket,
  type ConnectionOptions as TlsOptions,
} from 'node:tls';
import { systemCode } from '../../errors';
import { foreign } from '../../text';
import type { ConnectionOptions, ConnectionProgress, TlsFacts } from '../../world';
import { endableLookup, loopbackOnly } from './dns';
import { type HttpProxy, routeTo } from './proxy';

/** What the wire needs from the process; system/world.ts fills it in. */
export interface Surroundings {
  /** The environment itself, not a copy: see {@link startTls}. */
  readonly env: Record<string, string | undefined>;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  /** The module and arguments with which `fork()` starts lookup-child.ts. */
  readonly lookupChild: readonly string[];
  warn(line: string): void;
}

/** How far a connection got, for the error message. */
export interface Progress extends ConnectionProgress {
  via?: HttpProxy;
  /** The address of the endpoint or the proxy: `127.0.0.1:443`. A TLS socket over another one does not know it. */
  peer?: string;
  /** Set once its CAs are in use. */
  caFile?: string;
  /** Where the system's CAs came from, if they were used too. */
  systemRoots?: string;
}

export interface Connection {
  /** Resolves when it is connected, and verified if it is https. Rejects with Node's error. */
  readonly ready: Promise<Socket>;
  readonly progress: Readonly<Progress>;
  /** Records facts, and passes them to `onProgress`. */
  tell(facts: Partial<ConnectionProgress>): void;
  /** Whether it failed, was closed, or the other side hung up. */
  isClosed(): boolean;
  /** Closes it, whatever it is doing. */
  close(): void;
}

/** A connection that is being opened. */
interface Opening extends Pick<Connection, 'tell'> {
  readonly url: URL;
  readonly surroundings: Surroundings;
  readonly options: ConnectionOptions;
  readonly progress: Progress;
  /** Aborted when the connection is closed, whatever it is doing. */
  readonly signal: AbortSignal;
  /** Its sockets, each over the one before. */
  readonly sockets: Socket[];
  trace(line: string): void;
}

/**
 * Delay before the next address of a name is tried. Node's 250 ms give up on addresses that are only far away (it does
 * not race them, it drops the first), and a dead first address costs this long at each start.
 */
const NEXT_ADDRESS_AFTER_MS = 500;

/** OpenSSL's codes for an unknown CA, for which others may help; nothing has been sent yet. */
export const UNKNOWN_AUTHORITY: readonly string[] = [
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
];

export function openConnection(url: URL, options: ConnectionOptions, surroundings: Surroundings): Connection {
  const closing = new AbortController();
  const sockets: Socket[] = [];
  const close = (): void => {
    // The outermost first: once the one below it is gone, TLS over TLS closes in silence, and undici waits for ever.
    for (const socket of sockets.toReversed()) socket.destroy();
    closing.abort();
  };
  const progress: Progress = { waitingFor: 'route' };
  const tell = (facts: Partial<ConnectionProgress>): void => {
    Object.assign(progress, facts);
    options.onProgress?.(facts);
  };
  const { trace = () => {} } = options;
  const ready = open({ url, surroundings, options, progress, signal: closing.signal, sockets, tell, trace });
  let made: Socket | undefined;
  ready.then((socket) => {
    made = socket;
  }, close);
  return { ready, progress, tell, isClosed: () => closing.signal.aborted || made?.destroyed === true, close };
}

/** Connects with Node's CAs and the file's, and again with the system's too if the CA is unknown. */
async function open(opening: Opening): Promise<Socket> {
  const { url, surroundings, options, progress, tell, trace } = opening;
  const { env, platform } = surroundings;
  const route = routeTo(url, env);
  trace(
    route.proxy
      ? `using the proxy ${route.proxy.name} (from ${route.proxy.source})`
      : `no proxy: ${route.why}`,
  );
  if (route.proxy) {
    progress.via = route.proxy;
    tell({ proxy: route.proxy.name });
  }
  let ca: string[] | undefined;
  if (options.caFile !== undefined) {
    tell({ waitingFor: 'roots' });
    ca = await (await import('./authorities')).rootsWith(options.caFile, env);
    progress.caFile = options.caFile;
  }
  try {
    return await connectWith(opening, ca);
  } catch (error) {
    if (!UNKNOWN_AUTHORITY.includes(systemCode(error) ?? '')) throw error;
    const { nodeRoots, systemRoots } = await import('./authorities');
    const system = systemRoots(env, platform);
    if (!system) throw error;
    progress.systemRoots = system.from;
    trace(`unknown CA; retrying with the CAs of ${system.from}`);
    return await connectWith(opening, [...(ca ?? nodeRoots(env)), ...system.roots]);
  }
}

/** @param ca the CAs as PEM texts; the built-in ones if undefined */
async function connectWith(opening: Opening, ca: string[] | undefined): Promise<Socket> {
  const { url, progress } = opening;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (url.protocol === 'http:') return await dial(opening, host, port, loopbackOnly);
  const socket = progress.via
    ? await tunnel(opening, progress.via, `${url.hostname}:${port}`, ca)
    : await dial(opening, host, port);
  return await secure(opening, socket, host, ca);
}

async function tunnel(
  opening: Opening,
  proxy: HttpProxy,
  target: string,
  ca: string[] | undefined,
): Promise<Socket> {
  const { tell } = opening;
  tell({ tunnel: false });
  const loading = import('./tunnel');
  const plain = await dial(opening, proxy.hostname, proxy.port);
  const socket = proxy.secure ? await secure(opening, plain, proxy.hostname, ca) : plain;
  tell({ waitingFor: 'tunnel' });
  const opened = await (await loading).openTunnel(socket, proxy, target);
  tell({ tunnel: true });
  return opened;
}

async function dial(
  opening: Opening,
  host: string,
  port: number,
  lookup: LookupFunction = endableLookup(opening.surroundings, opening.signal),
): Promise<Socket> {
  const { progress, tell, trace } = opening;
  const addresses: string[] = [];
  let foundAtMs = 0;
  const found = (address: string): void => {
    addresses.push(address);
    foundAtMs = performance.now();
    tell({ waitingFor: 'connect', addresses });
  };
  tell({ waitingFor: 'lookup' });
  if (isIP(host) !== 0) found(host);
  const socket = connect({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup,
  });
  socket.on('lookup', (error, address) => error ?? found(address));
  await waitFor('connect', socket, opening);
  tell({ connectMs: Math.round(performance.now() - foundAtMs) });
  progress.peer = addressOf(socket);
  trace(`connected to ${progress.peer}`);
  return socket;
}

async function secure(
  opening: Opening,
  socket: Socket,
  host: string,
  ca: string[] | undefined,
): Promise<Socket> {
  const { surroundings, options, progress, tell, trace } = opening;
  tell({ waitingFor: 'handshake' });
  const name = host.replace(/\.$/, '');
  const tls = startTls(surroundings, {
    socket,
    host: name,
    ALPNProtocols: ['http/1.1'],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
    rejectUnauthorized: true,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    // As in curl: an intermediate CA, or the certificate itself, is enough; its root is not needed.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
  });
  if (options.onProgress && !isAtProxy(progress)) {
    const trustedBy = progress.systemRoots ?? options.caFile;
    // Before verification, so that a rejected certificate is shown too. (Bun has dropped it by then.)
    tls.prependOnceListener('secure', () => {
      const certificate: PeerCertificate | null = tls.getPeerCertificate();
      if (certificate) tell({ tls: factsOf(certificate, tls.getProtocol() ?? '', trustedBy) });
    });
  }
  await waitFor('secureConnect', tls, opening);
  if (!tls.authorized) throw tls.authorizationError;
  trace(`verified the certificate of ${name} (${tls.getProtocol()})`);
  return tls;
}

/**
 * Node reads NODE_TLS_REJECT_UNAUTHORIZED at each connection, and for 0 warns on stderr that the connection is insecure,
 * which ours are not, so the variable is removed for that moment.
 */
function startTls({ env, warn }: Surroundings, options: TlsOptions): TLSSocket {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return connectTls(options);
  warn('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified');
  delete env['NODE_TLS_REJECT_UNAUTHORIZED'];
  try {
    return connectTls(options);
  } finally {
    env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  }
}

function factsOf(
  { subject, issuer, valid_to }: PeerCertificate,
  protocol: string,
  trustedBy: string | undefined,
): TlsFacts {
  const name = (holder: typeof subject | undefined): string =>
    foreign([holder?.CN ?? holder?.O ?? 'no name'].flat().join(', '));
  return {
    protocol,
    subject: name(subject),
    issuer: name(issuer),
    validToMs: Date.parse(valid_to),
    trustedBy,
  };
}

/**
 * Settles with the event or the socket's error; a later error is in `errored`. Node emits an
 * alert that comes after the handshake without closing the socket, and the end that follows would hide it.
 */
async function waitFor(
  event: 'connect' | 'secureConnect',
  socket: Socket,
  { signal, sockets }: Opening,
): Promise<void> {
  sockets.push(socket);
  socket.on('error', (error) => socket.destroy(error));
  await new Promise<void>((resolve, reject) => {
    // A TLS socket over another one emits no `close` event if it is destroyed during its handshake.
    const end = (): void => reject(new Error('closed'));
    socket.once(event, resolve).once('error', reject).once('close', end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** Tells whether we are still talking to a proxy, and not yet to the endpoint behind it. */
export function isAtProxy({ via, tunnel: isOpen }: Progress): boolean {
  return via !== undefined && isOpen !== true;
}

/** `127.0.0.1:443`, `[::1]:443`. */
function addressOf({ remoteAddress = '?', remotePort }: Socket): string {
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}
