/**
 * The way to the endpoint: name, TCP, a proxy's tunnel, TLS. No undici here, so that the way is being made while undici
 * is still being loaded. Certificates are verified on every hop.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ConnectionOptions } from '../../world/wire';
import { endableLookup, loopbackOnly } from './dns';
import { type HttpProxy, type Route, routeTo } from './proxy';
import { withoutTlsOverride } from './tls-override';

/** What the wire needs to know of the process; main.ts fills it in. */
export interface Surroundings {
  /** The environment itself, not a copy: see tls-override.ts. */
  readonly env: Record<string, string | undefined>;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  warn(line: string): void;
}

/** How far it has come, for the sentence that says what failed. */
export interface Progress {
  waitingFor: 'lookup' | 'connect' | 'tunnel' | 'handshake' | 'reply' | 'body';
  /** Whom: the endpoint's host, or the proxy. */
  peer: string;
  /** Undefined while the way to a proxy is made, and without one. */
  proxy: HttpProxy | undefined;
  /** Whether the system's roots were asked too, and where they are. */
  systemRoots: string | undefined;
}

export interface Connection {
  /** Ready for a request: connected, and verified if it is https. Rejects with what Node said. */
  readonly ready: Promise<Socket>;
  readonly progress: Progress;
  /** Whether it failed, was cut, or the other side hung up. */
  isClosed(): boolean;
  /** Cuts it, wherever it is. */
  close(): void;
}

/**
 * Before the next address of a name is tried. Node's 250 ms give up addresses that are merely far away (it does not
 * race them, it drops the first), and a dead first address costs everybody this long at each start.
 */
const NEXT_ADDRESS_AFTER_MS = 500;

export function openConnection(
  url: URL,
  { caFile, trace = () => {} }: ConnectionOptions,
  surroundings: Surroundings,
): Connection {
  const { env, platform, warn } = surroundings;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const progress: Progress = {
    waitingFor: 'lookup',
    peer: url.host,
    proxy: undefined,
    systemRoots: undefined,
  };
  const sockets: Socket[] = [];
  let endLookup = (): void => {};
  let closed = false;

  /** Settles with the event or the socket's error; an error later on, while it is idle, is for its user to find. */
  const until = async (event: 'connect' | 'secureConnect', socket: Socket): Promise<void> => {
    sockets.push(socket);
    socket.on('error', () => {});
    if (closed) socket.destroy();
    await new Promise<void>((resolve, reject) => {
      socket.once(event, resolve).once('error', reject);
      socket.once('close', () => reject(new Error('closed')));
    });
  };

  const byName = endableLookup(surroundings, (end) => {
    endLookup = end;
    if (closed) end();
  });
  const dial = async (host: string, toPort: number, lookup: LookupFunction = byName): Promise<Socket> => {
    progress.waitingFor = isIP(host) === 0 ? 'lookup' : 'connect';
    const socket = connect({
      host,
      port: toPort,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      lookup,
    });
    socket.once('lookup', () => {
      progress.waitingFor = 'connect';
    });
    await until('connect', socket);
    trace(`connected to ${addressOf(socket)}`);
    return socket;
  };

  const secure = async (socket: Socket, host: string, ca: string[] | undefined): Promise<Socket> => {
    progress.waitingFor = 'handshake';
    const name = host.replace(/\.$/, '');
    const start = (): TLSSocket =>
      connectTls({
        socket,
        host: name,
        ALPNProtocols: ['http/1.1'],
        // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
        rejectUnauthorized: true,
        ...(isIP(name) === 0 ? { servername: name } : {}),
        ...(ca === undefined ? {} : { ca }),
      });
    if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
      warn('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified');
    const tls = withoutTlsOverride(env, start);
    await until('secureConnect', tls);
    if (!tls.authorized) throw tls.authorizationError;
    trace(`verified the certificate of ${name} (${tls.getProtocol()})`);
    return tls;
  };

  const open = async (route: Route, ca: string[] | undefined): Promise<Socket> => {
    progress.peer = url.host;
    progress.proxy = undefined;
    if (url.protocol === 'http:') return await dial(hostname, port, loopbackOnly);
    let socket: Socket;
    if (route.proxy) {
      const { proxy } = route;
      progress.proxy = proxy;
      progress.peer = `the proxy ${proxy.name} (from ${proxy.source})`;
      const tunnels = import('./tunnel');
      socket = await dial(proxy.hostname, proxy.port);
      if (proxy.secure) socket = await secure(socket, proxy.hostname, ca);
      progress.waitingFor = 'tunnel';
      socket = await (await tunnels).openTunnel(socket, proxy, `${url.hostname}:${port}`);
      sockets.push(socket);
      progress.peer = url.host;
    } else socket = await dial(hostname, port);
    return await secure(socket, hostname, ca);
  };

  const make = async (): Promise<Socket> => {
    const route = routeTo(url, env);
    trace(
      route.proxy
        ? `through the proxy ${route.proxy.name} (from ${route.proxy.source})`
        : `without a proxy: ${route.why}`,
    );
    const ca =
      caFile === undefined ? undefined : await (await import('./authorities')).rootsWith(caFile, env);
    try {
      return await open(route, ca);
    } catch (error) {
      if (closed || !isUnknownAuthority(error)) throw error;
      const { nodeRoots, systemRoots } = await import('./authorities');
      const system = systemRoots(env, platform);
      if (!system || closed) throw error;
      progress.systemRoots = system.from;
      trace(`the certificate's authority is unknown to Node: once more with the roots of ${system.from}`);
      return await open(route, [...(ca ?? nodeRoots(env)), ...system.roots]);
    }
  };

  const close = (): void => {
    closed = true;
    endLookup();
    for (const socket of sockets) socket.destroy();
  };
  const ready = make();
  ready.catch(close);
  return { ready, progress, isClosed: () => closed || sockets.at(-1)?.destroyed === true, close };
}

/** `127.0.0.1:443`, `[::1]:443`. */
export function addressOf({ remoteAddress = '?', remotePort }: Socket): string {
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

/** Where other roots may help; nothing has been sent yet. */
function isUnknownAuthority(error: unknown): boolean {
  return [
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_UNTRUSTED',
  ].includes((error as { code?: string }).code ?? '');
}
