/** The token request of RFC 6749 section 4.4.2, with the client's credentials in the body (section 2.3.1, service.md 4.1). */

import type { Credentials } from '../credentials/credentials';
import type { FetchReply } from '../world/wire';
import type { World } from '../world/world';
import { requestId } from './endpoint-text';
import { judgeReply, type Reply } from './reply';
import type { Token } from './token';

/** Longer replies are cut off: a token reply has a few kilobytes at most. */
const REPLY_LIMIT = 64 * 1024;

export interface TokenRequest {
  /** The regional identity address, without a trailing slash. */
  readonly authUrl: string;
  readonly credentials: Credentials;
  /** For the connection, the request and the whole reply together, in milliseconds. */
  readonly timeoutMs: number;
  readonly caFile: string | undefined;
}

/** The token endpoint of an auth URL (service.md 4.1). */
export function endpointOf({ authUrl }: Pick<TokenRequest, 'authUrl'>): string {
  return `${authUrl}/oauth2/token`;
}

/**
 * Asks the endpoint once for a token: exactly three form fields, no Authorization header, no redirect followed.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`
 */
export async function requestToken(
  request: TokenRequest,
  world: Pick<World, 'fetch' | 'now' | 'version' | 'trace'>,
): Promise<Token> {
  const { credentials, timeoutMs } = request;
  const endpoint = endpointOf(request);
  const secret = credentials.clientSecret;
  const requestedAtMs = world.now();
  let reply: Reply;
  try {
    const answer = await world.fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        'user-agent': `gwtoken/${world.version}`,
      },
      body: new URLSearchParams({
        client_id: credentials.clientId,
        client_secret: secret,
        grant_type: 'client_credentials',
      }).toString(),
      timeoutMs,
      caFile: request.caFile,
      trace: world.trace,
    });
    reply = { status: answer.status, headers: answer.headers, body: await readBody(answer) };
    const id = requestId(answer.headers, secret);
    world.trace(
      `POST ${endpoint}: ${answer.status} from ${answer.address ?? 'the endpoint'} after ${world.now() - requestedAtMs} ms${id === undefined ? '' : `, request id ${id}`}`,
    );
  } catch (error) {
    world.trace(`POST ${endpoint}: no reply after ${world.now() - requestedAtMs} ms`);
    throw error;
  }
  return judgeReply(reply, { endpoint, requestedAtMs, receivedAtMs: world.now(), secret });
}

async function readBody({ body }: FetchReply): Promise<Uint8Array | 'too-long'> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > REPLY_LIMIT) return 'too-long';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
