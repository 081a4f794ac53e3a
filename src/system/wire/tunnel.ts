/** A tunnel through an HTTP proxy, by undici's ProxyAgent. Loaded only where there is one. */
import type { buildConnector } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import type Client from 'undici/lib/dispatcher/client.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import type { HttpProxy } from './proxy';

export type OpenClient = (
  to: 'endpoint' | 'proxy',
  origin: string | URL,
  connect: buildConnector.BuildOptions | buildConnector.connector,
) => Client;

/** What undici passes to the functions that make its clients. */
interface Made {
  readonly connect: buildConnector.connector;
}

/** Returns a dispatcher whose requests go through the proxy. */
export function openTunnel(
  { url }: HttpProxy,
  proxyTls: buildConnector.BuildOptions,
  requestTls: buildConnector.BuildOptions,
  openClient: OpenClient,
): ProxyAgent {
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return new ProxyAgent({
    uri: url.href,
    // undici sends a user name only with a password (RFC 7617: it may be empty).
    ...(user === '' ? {} : { token: basic }),
    proxyTls,
    requestTls,
    factory: (origin, made) => openClient('endpoint', origin, (made as Made).connect),
    clientFactory(origin, made) {
      // undici names the proxy to TLS even if it is an address, of which Node warns.
      const client = openClient('proxy', origin, (to, done) =>
        (made as Made).connect({ ...to, servername: '' }, done),
      );
      // A method that undici's entry point, which is not loaded, gives to all clients.
      return Object.assign(client, { connect });
    },
  });
}
