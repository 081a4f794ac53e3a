/**
 * Judges what the endpoint answered: strict, since whatever passes here is printed as a token (contract section 6).
 * Success by RFC 6749 section 5.1, a refusal by section 5.2; everything else is `bad-reply`. No message ever holds a
 * part of the body, except the cleaned `error` and `error_description` of a refusal.
 */

import { type ErrorMore, GwtokenError, type Retry } from '../errors';
import { seconds, VSCHAR } from '../text';
import type { FetchReply } from '../world/wire';
import { shown } from './endpoint-text';
import { retryOfReply } from './retry';
import type { Token } from './token';

export interface Reply {
  readonly status: number;
  readonly headers: FetchReply['headers'];
  /** The whole body, or that it was longer than is read. */
  readonly body: Uint8Array | 'too-long';
}

export interface Asked {
  readonly endpoint: string;
  /** When the request was sent, in milliseconds since the epoch. */
  readonly requestedAtMs: number;
  /** When the reply was there, in milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** Held only to withhold any text that repeats it. */
  readonly secret: string;
}

/** The error codes of RFC 6749 section 5.2. */
const REFUSALS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];

const TOKEN_LIMIT = 32 * 1024;

/**
 * The token in a reply.
 *
 * @throws GwtokenError `refused` or `bad-reply`, with `retry` where RFC 9110 lets the status pass by itself
 */
export function judgeReply(reply: Reply, asked: Asked): Token {
  const { status } = reply;
  if (status >= 300 && status < 400) throw redirected(reply, asked);
  const retry = retryOfReply(status, reply.headers, asked.receivedAtMs);
  if (status >= 400 && status < 500) {
    const refusal = refusalIn(reply, asked, retry);
    if (refusal) throw refusal;
  }
  if (status !== 200) {
    const wait = retry?.afterMs === undefined ? '' : ` and asks to wait ${seconds(retry.afterMs)}`;
    throw badReply(asked, `answered ${said(reply, asked)}${wait}`, { hints: hintsFor(status), retry });
  }
  return tokenIn(objectIn(reply, asked), asked);
}

function hintsFor(status: number): string[] {
  if (status === 404 || status === 405 || status === 410)
    return ['check the auth URL: is this the address of the identity endpoint?'];
  if (status === 403) return ['a firewall or proxy may be in between: ask who runs it, or the operators'];
  if (status === 429) return ['fewer calls: cached tokens are shared by every call of this client'];
  return status >= 500 ? ['it is not your doing: try again later, or ask the operators'] : FURTHER;
}

const FURTHER = ['what may be behind it: gwtoken help network'];

/** The token of a success reply, each member checked by its own rule. */
function tokenIn(reply: Record<string, unknown>, asked: Asked): Token {
  const { access_token: accessToken, token_type: tokenType, scope, expires_in: expiresIn } = reply;
  if (accessToken === undefined && typeof reply['error'] === 'string') {
    throw badReply(
      asked,
      `answered 200 with an error in place of a token${inBrackets(errorWords(reply, asked))}`,
    );
  }
  if (typeof accessToken !== 'string' || accessToken === '')
    throw badReply(asked, 'answered 200 without an access_token');
  if (accessToken.length > TOKEN_LIMIT) throw badReply(asked, 'gave an access_token of more than 32 KiB');
  if (!VSCHAR.test(accessToken))
    throw badReply(asked, 'gave an access_token with characters that a token cannot have');
  if (typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer') {
    throw badReply(
      asked,
      tokenType === undefined ? 'gave no token_type' : 'gave a token_type other than bearer',
    );
  }
  if (scope !== undefined && scope !== null && (typeof scope !== 'string' || !VSCHAR.test(scope))) {
    throw badReply(asked, 'gave a scope that is not a text of visible characters');
  }
  return {
    accessToken,
    tokenType,
    scope: scope ?? '',
    requestedAtMs: asked.requestedAtMs,
    lifetimeS: lifetimeIn(expiresIn, asked),
  };
}

/**
 * `expires_in` in seconds: a positive integer, also as a numeric string, as some servers send it; null, as some write
 * what they have no value for, counts as absent. More than a century is cut to one: no date can be made of it.
 */
function lifetimeIn(expiresIn: unknown, asked: Asked): number | undefined {
  if (expiresIn === undefined || expiresIn === null) return undefined;
  const value = typeof expiresIn === 'string' && /^\d+$/.test(expiresIn) ? Number(expiresIn) : expiresIn;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return Math.min(value, CENTURY_S);
  throw badReply(asked, 'gave an expires_in that is not a positive whole number of seconds');
}

const CENTURY_S = 100 * 366 * 24 * 3600;

function objectIn(reply: Reply, asked: Asked): Record<string, unknown> {
  if (reply.body === 'too-long') throw badReply(asked, 'answered with more than 64 KiB');
  if (reply.body.length === 0) throw badReply(asked, 'answered 200 with an empty body');
  const parsed = parseJson(reply.body);
  if (parsed !== undefined) return parsed;
  if (!isHtml(reply)) throw badReply(asked, 'answered 200 with something other than a JSON object');
  throw badReply(asked, "answered 200 with an HTML page (a proxy's page?)", {
    hints: ['check the auth URL; it may also be a login page or a firewall in between'],
  });
}

function parseJson(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The endpoint refused these credentials: 401, or any 4xx whose JSON has an `error` of section 5.2. */
function refusalIn(reply: Reply, asked: Asked, retry: Retry | undefined): GwtokenError | undefined {
  const code = bodyOf(reply)?.['error'];
  const known = typeof code === 'string' && REFUSALS.includes(code);
  if (!known && reply.status !== 401) return undefined;
  return new GwtokenError('refused', `${asked.endpoint} refused these credentials (${said(reply, asked)})`, {
    reason: known ? code : 'invalid_client',
    retry,
  });
}

/** The status, and what the body says of it: `400, invalid_client: unknown client`. */
function said(reply: Reply, asked: Asked): string {
  if (isHtml(reply)) return `${reply.status} with an HTML page (a proxy's page?)`;
  const words = errorWords(bodyOf(reply), asked);
  return words === '' ? String(reply.status) : `${reply.status}, ${words}`;
}

function errorWords(body: Record<string, unknown> | undefined, { secret }: Asked): string {
  return [shown(body?.['error'], secret), shown(body?.['error_description'], secret)]
    .filter((part) => part !== undefined)
    .join(': ');
}

function bodyOf({ body }: Reply): Record<string, unknown> | undefined {
  return body === 'too-long' ? undefined : parseJson(body);
}

function inBrackets(words: string): string {
  return words === '' ? '' : ` (${words})`;
}

/** Where it points is shown without user info and query: those may hold anything. */
function redirected(reply: Reply, asked: Asked): GwtokenError {
  const location = reply.headers.get('location') ?? '';
  const url =
    location !== '' && URL.canParse(location, asked.endpoint) ? new URL(location, asked.endpoint) : undefined;
  const target = url && shown(`${url.protocol}//${url.host}${url.pathname}`, asked.secret);
  return badReply(
    asked,
    `answered ${reply.status}, a redirect${target === undefined ? '' : ` to ${target}`}, which is never followed`,
    { hints: ['check the auth URL: it must be the address that answers itself'] },
  );
}

function isHtml(reply: Reply): boolean {
  if (bodyOf(reply) !== undefined) return false;
  if (/\bhtml\b/i.test(reply.headers.get('content-type') ?? '')) return true;
  return (
    reply.body !== 'too-long' &&
    /^\s*<(!doctype|html)/i.test(Buffer.from(reply.body.slice(0, 100)).toString('latin1'))
  );
}

function badReply(
  { endpoint }: Asked,
  problem: string,
  more: Pick<ErrorMore, 'hints' | 'retry'> = { hints: FURTHER },
): GwtokenError {
  return new GwtokenError('bad-reply', `${endpoint} ${problem}`, more);
}
