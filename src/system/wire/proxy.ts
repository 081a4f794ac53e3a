/** Finds the HTTP proxy for a URL, and opens a tunnel through it by undici's ProxyAgent. */
import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import type Client from 'undici/lib/dispatcher/client.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { orUndefined, usage } from '../../errors';
import type { Env } from '../../world';

export interface HttpProxy {
  readonly url: URL;
  /** The variable with the proxy's URL. */
  readonly source: string;
  /** `proxy.example.com:3128`: without the credentials that the variable may contain. */
  readonly name: string;
  /** `the proxy proxy.example.com:3128 (from HTTPS_PROXY)`. */
  readonly label: string;
}

/**
 * Returns the proxy for a URL by curl's rules for HTTPS_PROXY and NO_PROXY, lower-case names first; undefined
 * if the URL needs no proxy.
 *
 * @throws GwtokenError `usage` if the variable is not the URL of an HTTP proxy
 */
export function proxyFor({ protocol, hostname, port }: URL, env: Env): HttpProxy | undefined {
  const source = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
  if (protocol === 'http:' || source === undefined) return undefined;
  if (isExempt(hostname, port || '443', env['no_proxy'] || env['NO_PROXY'] || '')) return undefined;
  const url = orUndefined(() => parseProxy(env[source] ?? ''));
  if (url === undefined) {
    throw usage(
      `${source} is not the URL of an HTTP proxy`,
      `example: ${source}=http://USER:PASSWORD@proxy.example.com:3128; in a password / is %2F, @ is %40`,
    );
  }
  const name = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  return { url, source, name, label: `the proxy ${name} (from ${source})` };
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

export type Peer = 'endpoint' | 'proxy';
export type OptionsFor = (to: Peer) => buildConnector.BuildOptions;
export type OpenClient = (
  origin: string | URL,
  connect: buildConnector.BuildOptions | buildConnector.connector,
) => Client;

/** The parts of a tunnel: the connection options and the client for each peer. */
interface TunnelParts {
  readonly optionsFor: OptionsFor;
  readonly openProxy: OpenClient;
  readonly openEndpoint: OpenClient;
  /** Called once the proxy has opened the tunnel. */
  onTunnel(): void;
}

/** Returns a dispatcher whose requests go through the proxy. */
export function openTunnel({ url }: HttpProxy, parts: TunnelParts): ProxyAgent {
  const { optionsFor, openProxy, openEndpoint, onTunnel } = parts;
  const { username, password } = url;
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  return new ProxyAgent({
    // undici rejects a path, and drops a user name without a password.
    uri: url.origin,
    ...(username || password ? { token: `Basic ${credentials}` } : {}),
    proxyTls: optionsFor('proxy'),
    requestTls: optionsFor('endpoint'),
    factory: (origin, options) => openEndpoint(origin, connectorOf(options)),
    clientFactory(origin, options) {
      // undici passes the proxy's address to TLS as a name: Node warns of an IP address, and Bun rejects it.
      const toProxy = connectorOf(options);
      const client = openProxy(origin, (to, done) => toProxy({ ...to, servername: '' }, done));
      // ProxyAgent sends CONNECT by this method, which clients get only from undici's whole entry point.
      return Object.assign(client, {
        async connect(target: Dispatcher.ConnectOptions) {
          const answer = await connect.call(client, target);
          if (answer.statusCode === 200) onTunnel();
          return answer;
        },
      });
    },
  });
}

/** Returns the connector from the options that undici passes to its client factories. */
function connectorOf(options: object): buildConnector.connector {
  return (options as { connect: buildConnector.connector }).connect;
}
