import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
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
  /** `scope` of the reply; `""` if left out, as service.md allows. `null` leaves the member away. */
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

const TOKEN_PATH = '/oauth2/token';

/** Starts one region's identity endpoint, a certified OAuth server, on a free port of 127.0.0.1. */
export async function startIdentityServer(options: IdentityServerOptions = {}): Promise<IdentityServer> {
  dropProviderNotices();
  const { default: Provider } = await import('oidc-provider');

  const { region = 'eu', tls } = options;
  // Only these two: a `ca` that came along would be sent as part of the chain.
  const server: Server = tls ? createTlsServer({ key: tls.key, cert: tls.cert }) : createServer();
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

  const provider = new Provider(authUrl, configuration(options));
  provider.use(async (context, next) => {
    await next();
    if (context.path !== TOKEN_PATH || context.status !== 200) return;
    const reply = context.body as { access_token: string; scope?: string };
    if (options.scope !== null) reply.scope = options.scope ?? '';
    identity.issued.push(reply.access_token);
  });

  const answer = provider.callback();
  server.on('request', async (request, response) => {
    const body = await readBody(request);
    if (body === undefined) return;
    const record: RecordedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: body.toString('utf8'),
      time: Date.now(),
      status: undefined,
    };
    response.once('finish', () => {
      record.status = response.statusCode;
    });
    identity.requests.push(record);
    if (identity.hang) return;
    if (identity.delayMs > 0) await sleep(identity.delayMs, undefined, { ref: false });
    if (response.destroyed) return;
    // oidc-provider takes a body that was read before it from `request.body`.
    await answer(Object.assign(request, { body }), response);
  });
  return identity;
}

function configuration(options: IdentityServerOptions): Record<string, unknown> {
  return {
    clients: (options.clients ?? [CLIENT]).map((client) => ({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    })),
    clientAuthMethods: ['client_secret_post'],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    routes: { token: TOKEN_PATH },
    ttl: { ClientCredentials: () => options.ttlSeconds ?? 3600 },
  };
}

/** Undefined when the caller went away in the middle. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

/** oidc-provider has no switch for its advice to operators, and gives some of it while it is being imported. */
function dropProviderNotices(): void {
  if (noticesDropped) return;
  noticesDropped = true;
  for (const level of ['info', 'warn'] as const) {
    const write = console[level].bind(console);
    console[level] = (...args: unknown[]) => {
      if (!/oidc-provider (NOTICE|WARNING): /.test(String(args[0]))) write(...args);
    };
  }
}
let noticesDropped = false;
