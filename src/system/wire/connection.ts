/**
 * The connection to the endpoint: DNS, TCP, a proxy's tunnel, TLS. No undici here, so that it is opened while
 * undici is still being loaded. Certificates are verified on every hop.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type TLSSocket,
  type ConnectionOptions as TlsOptions,
} from 'node:tls';
import { systemCode } from '../../system-errors';
import { foreign } from '../../text';
import type { ConnectionOptions, ConnectionProgress, TlsFacts } from '../../world';
import { endableLookup, loopbackOnly } from './dns';
import { calledProxy, type HttpProxy, routeTo } from './proxy';

export interface WireOptions {
  /** The environment itself, not a copy: see {@link startTls}. */
  readonly env: Record<string, string | undefined>;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  warn(line: string): void;
}

export interface Progress extends ConnectionProgress {
  via?: HttpProxy;
  /** The address of the endpoint or the proxy: `127.0.0.1:443`. */
  peer?: string;
  caFile?: string;
  /** The place of the system's CAs, if they were used too. */
  systemRoots?: string;
}

/**
 * Delay before the next address of a name is tried. A dead first address costs it at each start, but Node
 * drops the first attempt when it begins the next, and far hosts need more than Node's 250 ms.
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

/** A connection to one URL, which is opened at once. */
export class Connection {
  /** Resolves when it is connected, and verified if it is https. Rejects with Node's error. */
  readonly ready: Promise<Socket>;
  readonly progress: Progress = { waitingFor: 'route' };
  private readonly url: URL;
  private readonly options: ConnectionOptions;
  private readonly wireOptions: WireOptions;
  private readonly closing = new AbortController();
  /** The open sockets, each running over the one before. */
  private readonly sockets: Socket[] = [];

  constructor(url: URL, options: ConnectionOptions, wireOptions: WireOptions) {
    this.url = url;
    this.options = options;
    this.wireOptions = wireOptions;
    this.ready = this.open();
    this.ready.catch(() => this.close());
  }

  /** Records facts, and passes them to `onProgress`. */
  report(facts: Partial<ConnectionProgress>): void {
    Object.assign(this.progress, facts);
    this.options.onProgress?.(facts);
  }

  /** Closes the connection at any stage. */
  close(): void {
    // The outermost first: TLS over TLS closes in silence if the one below it is gone, and undici waits on.
    for (const socket of this.sockets.toReversed()) socket.destroy();
    this.closing.abort();
  }

  private trace(line: string): void {
    this.options.trace?.(line);
  }

  /** Connects with Node's CAs and the file's, and again with the system's too if the CA is unknown. */
  private async open(): Promise<Socket> {
    const { env, platform } = this.wireOptions;
    const { caFile } = this.options;
    const proxy = routeTo(this.url, env);
    if (typeof proxy === 'string') this.trace(`no proxy: ${proxy}`);
    else {
      this.trace(`using ${calledProxy(proxy)}`);
      this.progress.via = proxy;
      this.report({ proxy: proxy.name });
    }
    let ca: string[] | undefined;
    if (caFile !== undefined) {
      this.report({ waitingFor: 'roots' });
      const { nodeRoots, readCaFile } = await import('./authorities');
      ca = [...nodeRoots(env), await readCaFile(caFile)];
      this.progress.caFile = caFile;
    }
    try {
      return await this.connect(ca);
    } catch (error) {
      if (!UNKNOWN_AUTHORITY.includes(systemCode(error) ?? '')) throw error;
      const { nodeRoots, systemRoots } = await import('./authorities');
      const system = systemRoots(env, platform);
      if (!system) throw error;
      this.progress.systemRoots = system.from;
      this.trace(`unknown CA; retrying with the CAs of ${system.from}`);
      return await this.connect([...(ca ?? nodeRoots(env)), ...system.roots]);
    }
  }

  /** @param ca the CAs as PEM texts; the built-in ones if undefined */
  private async connect(ca: string[] | undefined): Promise<Socket> {
    const { hostname, port, protocol } = this.url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const number = Number(port || (protocol === 'https:' ? 443 : 80));
    if (protocol === 'http:') return await this.dial(host, number, loopbackOnly);
    const { via } = this.progress;
    const socket = via ? await this.tunnel(via, `${hostname}:${number}`, ca) : await this.dial(host, number);
    return await this.secure(socket, host, ca);
  }

  private async tunnel(proxy: HttpProxy, target: string, ca: string[] | undefined): Promise<Socket> {
    this.report({ tunnel: false });
    const loading = import('./tunnel');
    const plain = await this.dial(proxy.hostname, proxy.port);
    const socket = proxy.secure ? await this.secure(plain, proxy.hostname, ca) : plain;
    this.report({ waitingFor: 'tunnel' });
    const opened = await (await loading).openTunnel(socket, proxy, target);
    this.report({ tunnel: true });
    return opened;
  }

  private async dial(
    host: string,
    port: number,
    lookup: LookupFunction = endableLookup(this.wireOptions, this.closing.signal),
  ): Promise<Socket> {
    const addresses: string[] = [];
    let foundAtMs = 0;
    const found = (address: string): void => {
      addresses.push(address);
      foundAtMs = performance.now();
      this.report({ waitingFor: 'connect', addresses });
    };
    this.report({ waitingFor: 'lookup' });
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
    await this.waitFor('connect', socket);
    this.report({ connectMs: Math.round(performance.now() - foundAtMs) });
    this.progress.peer = addressOf(socket);
    this.trace(`connected to ${this.progress.peer}`);
    return socket;
  }

  private async secure(socket: Socket, host: string, ca: string[] | undefined): Promise<Socket> {
    this.report({ waitingFor: 'handshake' });
    const tls = startTls(this.wireOptions, {
      socket,
      host,
      ALPNProtocols: ['http/1.1'],
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
      rejectUnauthorized: true,
      // The CN does not count: BoringSSL does not apply a CA's name constraints to it.
      checkServerIdentity: (name, cert) =>
        checkServerIdentity(name, { ...cert, subject: { ...cert.subject, CN: '' } }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // As in curl: an intermediate CA, or the certificate itself, is enough; its root is not needed.
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    });
    if (this.options.onProgress && !isAtProxy(this.progress)) {
      const trustedBy = this.progress.systemRoots ?? this.options.caFile;
      // Before verification, so that a rejected certificate is shown too. (Bun has dropped it by then.)
      tls.prependOnceListener('secure', () => {
        const certificate: PeerCertificate | null = tls.getPeerCertificate();
        if (certificate) this.report({ tls: factsOf(certificate, tls.getProtocol() ?? '', trustedBy) });
      });
    }
    await this.waitFor('secureConnect', tls);
    if (!tls.authorized) throw tls.authorizationError;
    this.trace(`verified the certificate of ${host} (${tls.getProtocol()})`);
    return tls;
  }

  /**
   * Settles with the event or the socket's error. Later errors destroy the socket, and stay in `errored`:
   * Node emits an alert after the handshake without closing it, and the end that follows would hide it.
   */
  private async waitFor(event: 'connect' | 'secureConnect', socket: Socket): Promise<void> {
    const { signal } = this.closing;
    this.sockets.push(socket);
    socket.on('error', (error) => socket.destroy(error));
    await new Promise<void>((resolve, reject) => {
      // A TLS socket over another one emits no `close` event if it is destroyed during its handshake.
      const end = (): void => reject(new Error('closed'));
      socket.once(event, resolve).once('error', reject).once('close', end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }
}

/**
 * Node reads NODE_TLS_REJECT_UNAUTHORIZED at each connection, and for 0 warns on stderr that the connection
 * is insecure, which ours are not, so the variable is removed for that moment.
 */
function startTls({ env, warn }: WireOptions, options: TlsOptions): TLSSocket {
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

/** Tells if we are still talking to a proxy, and not yet to the endpoint behind it. */
export function isAtProxy({ via, tunnel: isOpen }: Progress): boolean {
  return via !== undefined && isOpen !== true;
}

/** Returns the peer's address, as in `127.0.0.1:443` or `[::1]:443`. */
function addressOf({ remoteAddress = '?', remotePort }: Socket): string {
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}
