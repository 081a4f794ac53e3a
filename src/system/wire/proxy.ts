/**
 * Chooses the proxy for a URL: HTTPS_PROXY and NO_PROXY, lower-case names first, with curl's rules.
 *
 * Not used: proxy-from-env (an entry does not cover its subdomains, ALL_PROXY cannot be turned off) and
 * undici's EnvHttpProxyAgent (sends `http:` on the loopback through HTTP_PROXY).
 */

import { isIP } from 'node:net';
import { quietly, usage } from '../../errors';
import type { Env } from '../../world';

export interface HttpProxy {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The variable that names it. */
  readonly source: string;
  /** `proxy.example.com:3128`, for messages: without the credentials that the variable may contain. */
  readonly name: string;
  /** The Proxy-Authorization header made from the credentials in the variable. */
  readonly authorization: string | undefined;
}

/** Returns the proxy's name for messages, with the variable it comes from. */
export function calledProxy({ name, source }: HttpProxy): string {
  return `the proxy ${name} (from ${source})`;
}

/** Returns the proxy, or the reason for none. @throws GwtokenError `usage` for a proxy that cannot be used */
export function routeTo({ protocol, hostname, port }: URL, env: Env): HttpProxy | string {
  if (protocol === 'http:') return 'loopback http: URLs never use a proxy';
  const source = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
  if (source === undefined) return 'HTTPS_PROXY is not set';
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  const entry = exemption(hostname.replace(/^\[|\]$|\.$/g, ''), port || '443', list);
  return entry === undefined ? parseProxy(env[source] ?? '', source) : `NO_PROXY contains ${entry}`;
}

/** Parses a proxy's address: without a scheme it is http:, as in curl. Its password is never shown. */
function parseProxy(text: string, source: string): HttpProxy {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;
  const url = scheme.test(text) ? text : `http://${text}`;
  // A URL's path begins at the first of these: part of the password would be taken for the port, and shown.
  const isBroken = /[/?#\\].*@/s.test(text.replace(scheme, '')) || !URL.canParse(url);
  if (isBroken || !/^https?:$/.test(new URL(url).protocol)) {
    throw usage(
      `${source} is not the URL of an HTTP proxy`,
      `example: ${source}=http://USER:PASSWORD@proxy.example.com:3128; in a password / is %2F, @ is %40`,
    );
  }
  const { protocol, hostname, port: given, username, password } = new URL(url);
  const secure = protocol === 'https:';
  const port = Number(given || (secure ? 443 : 80));
  // RFC 7617; without a password it is empty.
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return {
    secure,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    source,
    name: `${hostname}:${port}`,
    authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

function decoded(text: string): string {
  return quietly(() => decodeURIComponent(text)) ?? text;
}

/**
 * Finds the entry of NO_PROXY that covers a host. As in curl: entries separated by commas or spaces; `*` is
 * every host; a name covers itself and its subdomains, with or without a leading dot; an address covers itself
 * in a URL; names are not looked up. As in undici: `host:port` covers only that port.
 */
function exemption(host: string, port: string, list: string): string | undefined {
  return list.split(/[\s,]+/).find((entry) => {
    if (entry === '*') return true;
    const [, name = entry, ownPort] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (ownPort !== undefined && ownPort !== port) return false;
    const bare = name.replace(/^\[|\]$/g, '').toLowerCase();
    const domain = bare.replace(/^\*?\./, '').replace(/\.$/, '');
    return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
  });
}
