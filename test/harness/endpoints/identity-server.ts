import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen';

export interface IdentityClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The client that a test has unless it asks for another. */
export const CLIENT: IdentityClient = { clientId: 'client', clientSecret: 'secret+/=&' };

export interface IdentityServerOptions {
  /** `eu` if left out. */
  readonly region?: 'eu' | 'us';
  /** The clients that this region knows, a sandbox client being just one more; {@link CLIENT} if left out. */
  readonly clients?: readonly IdentityClient[];
  /** Lifetime of a token, in seconds; 3600 if left out. */
  readonly ttlSeconds?: number;
  /** `scope` of the reply; `""` if left out. `null` leaves the member away. */
  readonly scope?: string | null;
  /** PEM texts; the server then speaks https. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** One request, recorded when its body has arrived; `status` stays undefined until it is answered. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw form body, so that a test can count the fields and see the escapes. */
  readonly body: string;
  /** When the body was complete, in epoch milliseconds. */
  readonly time: number;
  status: number | undefined;
}

export interface IdentityServer {
  readonly region: 'eu' | 'us';
  /** The token endpoint is `{authUrl}/oauth2/token`. */
  readonly authUrl: string;
  readonly requests: RecordedRequest[];
  /** The access tokens given out, oldest first. */
  readonly issued: string[];
  /** Milliseconds that replies to requests from now on are held back. */
  delayMs: number;
  /** Requests from now on get no reply until `close()`, which cuts their connections. */
  hang: boolean;
  close(): Promise<void>;
}

/**
 * Starts one region's identity endpoint on a free port of 127.0.0.1. What it does is what a certified server does to
 * gwtoken's requests: test/token/independent-server.both.test.ts has one.
 */
export async function startIdentityServer(options: IdentityServerOptions = {}): Promise<IdentityServer> {
  const { region = 'eu', clients = [CLIENT], ttlSeconds = 3600, scope = '', tls } = options;
  const answer = (
    path: string | undefined,
    form: URLSearchParams,
  ): readonly [status: number, body: object] => {
    if (path !== '/oauth2/token') return [404, { error: 'invalid_request' }];
    const isKnown = clients.some(
      ({ clientId, clientSecret }) =>
        form.get('client_id') === clientId && form.get('client_secret') === clientSecret,
    );
    if (!isKnown)
      return [401, { error: 'invalid_client', error_description: 'client authentication failed' }];
    const token = randomBytes(32).toString('base64url');
    identity.issued.push(token);
    const reply = { access_token: token, token_type: 'Bearer', expires_in: ttlSeconds };
    return [200, scope === null ? reply : { ...reply, scope }];
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    try {
      for await (const chunk of request) body += chunk;
    } catch {
      // The caller went away in the middle.
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const record: RecordedRequest = { method, path, headers, body, time: Date.now(), status: undefined };
    response.once('finish', () => {
      record.status = response.statusCode;
    });
    identity.requests.push(record);
    if (identity.hang) return;
    if (identity.delayMs > 0) await sleep(identity.delayMs, undefined, { ref: false });
    if (response.destroyed) return;
    const [status, reply] = answer(path, new URLSearchParams(body));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  };
  // Only these two: a `ca` that came along would be sent as part of the chain.
  const server: Server = tls ? createTlsServer({ key: tls.key, cert: tls.cert }, serve) : createServer(serve);
  const { url: authUrl, close } = await listen(server);
  const identity: IdentityServer = {
    region,
    authUrl,
    requests: [],
    issued: [],
    delayMs: 0,
    hang: false,
    close,
  };
  return identity;
}
