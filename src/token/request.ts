/** The token request of RFC 6749 section 4.4.2, with the client's credentials in the body (section 2.3.1). */

import type { Credentials } from '../credentials/credentials';
import { GwtokenError } from '../errors';
import type { FormReply, World } from '../world';
import { withoutSecret } from './endpoint-text';
import { judgeReply } from './reply';
import type { Token } from './token';

/** Limit of a reply's body, in bytes. */
const REPLY_LIMIT = 64 * 1024;

/** Headers that identify a request in the endpoint's own logs. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id'];

interface TokenRequest {
  readonly endpoint: string;
  readonly credentials: Credentials;
  readonly timeoutMs: number;
  readonly caFile: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the token endpoint of an auth URL, which has no trailing slash. */
export function tokenEndpoint(authUrl: string): string {
  return `${authUrl}/oauth2/token`;
}

/**
 * Requests a token once: exactly three form fields, no Authorization header, no redirect followed.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`
 */
export async function requestToken(
  { endpoint, credentials, timeoutMs, caFile, signal }: TokenRequest,
  world: Pick<World, 'postForm' | 'now' | 'version' | 'trace'>,
): Promise<Token> {
  const secret = credentials.clientSecret;
  const requestedAtMs = world.now();
  const trace = (outcome: string, more = ''): void =>
    world.trace(`POST ${endpoint}: ${outcome} after ${world.now() - requestedAtMs} ms${more}`);
  let reply: FormReply;
  try {
    reply = await world.postForm(endpoint, {
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
      maxBytes: REPLY_LIMIT,
      caFile,
      signal,
      trace: world.trace,
    });
    const ids = REQUEST_ID_HEADERS.map((name) => withoutSecret(reply.headers.get(name), secret));
    const id = ids.find((each) => each !== undefined);
    trace(String(reply.status), id === undefined ? '' : `, request ID ${id}`);
  } catch (error) {
    trace(error instanceof GwtokenError && error.kind === 'usage' ? 'not sent' : 'no reply');
    throw error;
  }
  return judgeReply({ ...reply, endpoint, requestedAtMs, secret });
}
