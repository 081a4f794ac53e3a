/** Finds the HTTP proxy for a URL, and opens a tunnel through it. */
import type { Socket } from 'node:net';
import type { buildConnector, Client } from 'undici';
import { orUndefined, usage } from '../../errors';
import { proxyVariable } from '../../surroundings';
import type { Env } from '../../world';

export interface HttpProxy {
  readonly url: URL;
  /** The variable with the proxy's URL. */
  readonly source: string;
  /** `the proxy proxy.example.com:3128 (from HTTPS_PROXY)`, without the variable's credentials. */
  readonly label: string;
}

/**
 * Returns the proxy for a URL by curl's rules for HTTPS_PROXY and NO_PROXY, lower-case names first; undefined
 * if the URL needs no proxy. Throws `usage` if the variable is not the URL of an HTTP proxy.
 */
export function proxyFor({ protocol, hostname, port }: URL, env: Env): HttpProxy | undefined {
  const source = proxyVariable(env);
  if (protocol === 'http:' || source === undefined) return undefined;
  if (isExempt(hostname, port || '443', env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  const url = orUndefined(() => parseProxy(env[source] ?? ''));
  if (url === undefined) {
    throw usage(`${source} is not the URL of an HTTP proxy`, [
      `example: ${source}=http://USER:PASSWORD@proxy.example.com:3128`,
      'in a password / is %2F, @ is %40',
    ]);
  }
  const name = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  return { url, source, label: `the proxy ${name} (from ${source})` };
}

/** Parses the URL of an HTTP proxy. As in curl, `http:` is the default scheme. Throws for anything else. */
function parseProxy(text: string): URL {
  const [, scheme = 'http://', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? [];
  const url = new URL(scheme + rest);
  const isHttp = /^https?:$/.test(url.protocol);
  // URL also accepts quotes and braces in a host, as in HTTPS_PROXY='"http://…"'.
  const hasHost = /^([\w.-]+|\[.+\])$/.test(url.hostname);
  // URL ends the host at these characters: a part of the password would become the port, which errors show.
  const hasLatePassword = /[/?#\\].*@/s.test(rest);
  if (!isHttp || !hasHost || hasLatePassword) throw new Error('not the URL of an HTTP proxy');
  // Throws for an invalid percent sign.
  decodeURIComponent(url.username + url.password);
  return url;
}

/**
 * Returns whether NO_PROXY covers a host. As in curl, commas or spaces separate entries, `*` covers every
 * host, and a name covers itself and its subdomains, with or without a leading dot. As in undici, `host:port`
 * covers only that port.
 */
function isExempt(hostname: string, port: string, list: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, ownPort = port] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const domain = name.replace(/^\[|\]$|^\*?\.|\.$/g, '').toLowerCase();
    return entry === '*' || (ownPort === port && domain !== '' && `.${host}`.endsWith(`.${domain}`));
  });
}

/** The proxy answered CONNECT, but opened no tunnel. */
export class TunnelRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered CONNECT with ${status}`);
    this.status = status;
  }
}

/**
 * Returns a connector that opens a tunnel through the proxy and then connects to the endpoint in it. Throws
 * TunnelRefused for another status than 2xx. @see RFC 9110 section 9.3.6
 */
export function throughTunnel(
  proxy: HttpProxy,
  { hostname, port }: URL,
  toProxy: Client,
  toEndpoint: buildConnector.connector,
): buildConnector.connector {
  const target = `${hostname}:${port || 443}`;
  const open = async (): Promise<Socket> => {
    const headers = { host: target, ...credentialsOf(proxy) };
    const { statusCode, socket } = await toProxy.connect({ path: target, headers });
    socket.on('error', () => {});
    if (statusCode < 300) return socket as Socket;
    socket.destroy();
    throw new TunnelRefused(statusCode);
  };
  return (to, done) =>
    void open().then(
      (httpSocket) => toEndpoint({ ...to, httpSocket }, done),
      (error) => done(error, null),
    );
}

function credentialsOf({ url: { username, password } }: HttpProxy): Readonly<Record<string, string>> {
  if (!username && !password) return {};
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  return { 'proxy-authorization': `Basic ${credentials}` };
}
