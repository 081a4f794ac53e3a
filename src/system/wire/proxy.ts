/**
 * Chooses the proxy for a URL: HTTPS_PROXY and NO_PROXY, lower-case names first, with curl's rules.
 *
 * Not used: proxy-from-env (an entry does not cover its subdomains, no networks, ALL_PROXY cannot be turned off, it
 * reads `process.env` itself) and undici's EnvHttpProxyAgent (sends `http:` on the loopback through HTTP_PROXY).
 */

import { BlockList, isIP } from 'node:net';
import { usage } from '../../errors';
import type { Env } from '../../world';

export interface HttpProxy {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The variable. */
  readonly source: string;
  /** `proxy.example.com:3128`, for messages: without the credentials that the variable may contain. */
  readonly name: string;
  /** The Proxy-Authorization header made from the credentials in the variable. */
  readonly authorization: string | undefined;
}

export function calledProxy({ name, source }: HttpProxy): string {
  return `the proxy ${name} (from ${source})`;
}

/** The proxy, or why there is none. */
export interface Route {
  readonly proxy: HttpProxy | undefined;
  readonly why?: string;
}

/** Decides for one URL. @throws GwtokenError `usage` for a proxy that cannot be used */
export function routeTo({ protocol, hostname, port }: URL, env: Env): Route {
  if (protocol === 'http:') return direct('loopback http: URLs never use a proxy');
  const source = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
  if (source === undefined) return direct('HTTPS_PROXY is not set');
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  const entry = exemption(hostname.replace(/^\[|\]$|\.$/g, ''), port || '443', list);
  if (entry !== undefined) return direct(`NO_PROXY contains ${entry}`);
  return { proxy: parseProxy(env[source] ?? '', source) };
}

const direct = (why: string): Route => ({ proxy: undefined, why });

/** Without a scheme it is an http: proxy, as in curl. The value is never shown: it may contain a password. */
function parseProxy(text: string, source: string): HttpProxy {
  // A URL's path begins at the first of these, so part of the password would be parsed as the port, and shown.
  if (/[/?#\\].*@/s.test(text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ''))) {
    throw usage(
      `${source} contains a /, ?, # or \\ before the @`,
      'percent-encode special characters in the user name and password: / is %2F, ? is %3F, # is %23',
    );
  }
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url) {
    throw usage(
      `invalid proxy URL in ${source}`,
      `example: http://proxy.example.com:3128; or unset ${source}`,
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw usage(
      `${source} is a ${url.protocol.slice(0, -1)} proxy; gwtoken supports only http and https proxies`,
      `set ${source} to an HTTP proxy, or unset it`,
    );
  }
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  return {
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    source,
    name: `${url.hostname}:${port}`,
    authorization: basic(url.username, url.password),
  };
}

/** RFC 7617; without a password it is empty. */
function basic(user: string, password: string): string | undefined {
  if (user === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The entry of NO_PROXY that covers a host. As in curl: entries separated by commas or spaces; `*` is every host; a
 * name covers itself and its subdomains, with or without a leading dot; an address or a network (`10.0.0.0/8`) covers
 * literal addresses; names are not looked up. As in undici: `host:port` covers only that port.
 */
function exemption(host: string, port: string, list: string): string | undefined {
  return list.split(/[\s,]+/).find((entry) => {
    if (entry === '*') return true;
    const [, name = entry, ownPort] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (ownPort !== undefined && ownPort !== port) return false;
    const bare = name.replace(/^\[|\]$/g, '').toLowerCase();
    if (isIP(host) !== 0) return coversAddress(bare, host);
    const domain = bare.replace(/^\*?\./, '').replace(/\.$/, '');
    return host === domain || host.endsWith(`.${domain}`);
  });
}

function coversAddress(entry: string, address: string): boolean {
  const family = (text: string): 'ipv4' | 'ipv6' => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  const [network = '', prefix, ...rest] = entry.split('/');
  if (isIP(network) === 0 || rest.length > 0) return false;
  const covered = new BlockList();
  if (prefix === undefined) covered.addAddress(network, family(network));
  else {
    const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (!(bits <= (family(network) === 'ipv6' ? 128 : 32))) return false;
    covered.addSubnet(network, bits, family(network));
  }
  return covered.check(address, family(address));
}
