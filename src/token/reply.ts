/** Reads the endpoint's reply: a token, a refusal, or an error that a retry may solve. */
import { VSCHAR } from '../credentials/credentials';
import { GwtokenError, type Hints, orUndefined, type Reason, type Retry } from '../errors';
import type { FormReply } from '../post-form';
import { duration } from '../text';
import { containsSecret, errorWords, type Json, shownText } from './endpoint-text';
import { LIFETIME_LIMIT_S, TOKEN_LIMIT, type Token } from './token';

/** Largest body of a reply, in bytes. */
export const REPLY_LIMIT = 64 * 1024;

export const RETRIED_STATUSES = [408, 425, 429, 500, 502, 503, 504];
/** Error codes of RFC 6749 section 4.1.2.1 for an outage. Some servers send them with 400. */
const OUTAGE_ERRORS: readonly unknown[] = ['temporarily_unavailable', 'server_error'];

/** A reply, and the facts about its request that are needed to judge it. */
interface Reply extends FormReply {
  readonly endpoint: string;
  /** Time when the request was sent, in ms since the epoch. */
  readonly requestedAtMs: number;
  /** The client secret, to recognize texts that repeat it. */
  readonly secret: string;
  /** The body, if it is a JSON object. */
  readonly json: Json | undefined;
  /** The server's `error` and reason, safe to show; empty without them. */
  readonly words: string;
}

/** Error codes of RFC 6749 section 5.2 for wrong credentials. */
const CREDENTIAL_ERRORS: readonly unknown[] = ['invalid_client', 'invalid_grant'];

const NO_GRANT = {
  what: 'does not let this client use the client_credentials grant',
  hint: 'check on the Clients page that the client may use client_credentials',
};
/** The other codes of that section, which correct credentials can get too, with their meaning. */
const OTHER_FAULTS: ReadonlyMap<unknown, typeof NO_GRANT> = new Map(
  Object.entries({
    unauthorized_client: NO_GRANT,
    unsupported_grant_type: NO_GRANT,
    invalid_scope: {
      what: 'requires a scope, and gwtoken sends none',
      hint: "ask the endpoint's operator to give this client a default scope",
    },
    invalid_request: {
      what: 'rejected the request as invalid',
      hint: "ask the endpoint's operator what else a token request needs",
    },
  }),
);

const CHECK_AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const API_ANSWER = ["check the auth URL: this is an API's answer, not a token endpoint's"];
const HTML_PAGE = ['check the auth URL; a login page or firewall may be answering instead'];
const FORBIDDEN = [
  'check the auth URL, and the client ID and secret',
  'or ask your administrator: a firewall or proxy may be blocking this',
];
const RATE_LIMITED = [
  'too many requests: try again later',
  'without --fresh and --no-cache, calls share the cached token',
];
const OUTAGE = ['the problem is on the server; try again later'];
/** Hints at a reply whose error has no meaning that gwtoken knows. */
const UNKNOWN_ERROR = ['check the client ID and secret', CHECK_AUTH_URL];
const UNUSABLE = ['possible causes: gwtoken help network'];

/**
 * Returns the token in a reply. The check is strict, because the token is printed. Of the body, errors
 * contain only the cleaned `error` and the server's reason. Throws `refused` or `bad-reply`.
 * @see RFC 6749 section 5.1 (success) and 5.2 (refusal)
 */
export function judgeReply(given: Omit<Reply, 'json' | 'words'>): Token {
  const json = jsonObject(given.body);
  const reply: Reply = { ...given, json, words: json ? errorWords(json, given.secret) : '' };
  const { status } = reply;
  const isSuccess = status === 200 || status === 201;
  const accessToken = json?.['access_token'];
  // Some servers send an `error` with status 200 instead.
  if (isSuccess && typeof accessToken === 'string' && accessToken !== '') return tokenIn(reply, accessToken);
  if (status >= 300 && status < 400) throw redirected(reply);
  const isOutage = OUTAGE_ERRORS.includes(json?.['error']);
  const retry = isOutage || RETRIED_STATUSES.includes(status) ? { afterMs: retryAfterMs(reply) } : undefined;
  const answered = `answered ${describeReply(reply, retry)}`;
  if (isOutage) throw badReply(reply, answered, OUTAGE, { retry });
  if (isAnswerOfApi(reply)) throw badReply(reply, answered, API_ANSWER);
  const refusal = refusalIn(reply);
  if (refusal) throw refusal;
  throw isSuccess ? noTokenFrom(reply) : badReply(reply, answered, failureHints(reply), { retry });
}

/**
 * Returns the wait in ms that Retry-After asks for, in seconds or as a date; undefined if it asks for none.
 * @see RFC 9110 section 10.2.3
 */
function retryAfterMs({ headers, requestedAtMs }: Reply): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!text.endsWith(' GMT')) return undefined;
  // Counts from the Date of the reply, because the clocks may differ.
  const waitMs = Date.parse(text) - (Date.parse(headers.get('date') ?? '') || requestedAtMs);
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

function tokenIn(reply: Reply, accessToken: string): Token {
  const { requestedAtMs, secret, json } = reply;
  const bad = (problem: string): GwtokenError => badReply(reply, problem);
  const tokenType = json?.['token_type'];
  const scope = json?.['scope'] ?? '';
  if (accessToken.length > TOKEN_LIMIT)
    throw bad(`returned an access_token longer than ${TOKEN_LIMIT / 1024} KiB`);
  if (!VSCHAR.test(accessToken)) throw bad('returned an access_token with invalid characters');
  if (typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer')
    throw bad('returned a token_type other than bearer, or none');
  if (typeof scope !== 'string' || !VSCHAR.test(scope)) throw bad('returned an invalid scope');
  // A valid token may contain a short secret, such as `test`, by chance.
  if (secret.length >= 8 && containsSecret(`${accessToken} ${scope}`, secret))
    throw bad('returned the client secret as a token or scope');
  return { accessToken, tokenType, scope, requestedAtMs, lifetimeS: lifetimeIn(reply) };
}

/** Matches a number, which some servers send as a string, with or without a fraction. */
const NUMERIC = /^\d+(\.\d+)?$/;
/**
 * Servers that return one token until it expires round its lifetime down, to 0 in the last second. Two
 * retries outlast that second, and the pause is short, so that the next token arrives soon after it.
 */
const JUST_EXPIRED: Retry = { afterMs: 600, isExact: true };

/** Returns the lifetime in whole seconds; undefined if it is missing or null. */
function lifetimeIn(reply: Reply): number | undefined {
  const expiresIn = reply.json?.['expires_in'];
  if (expiresIn === undefined || expiresIn === null) return undefined;
  const value = typeof expiresIn === 'string' && NUMERIC.test(expiresIn) ? Number(expiresIn) : expiresIn;
  if (typeof value !== 'number' || value < 0)
    throw badReply(reply, 'returned an expires_in that is not a positive number');
  const lifetimeS = Math.min(Math.floor(value), LIFETIME_LIMIT_S);
  if (lifetimeS > 0) return lifetimeS;
  const problem = 'returned a token that has just expired (expires_in is 0)';
  const hints = ["try again after a second; if it persists, contact the endpoint's operator"];
  throw badReply(reply, problem, hints, { reason: 'just-expired', retry: JUST_EXPIRED });
}

function jsonObject(body: Reply['body']): Json | undefined {
  if (body === 'too-long') return undefined;
  const parsed: unknown = orUndefined(() => JSON.parse(new TextDecoder().decode(body)));
  return parsed instanceof Object && !Array.isArray(parsed) ? (parsed as Json) : undefined;
}

/** Returns the refusal in a reply: an `error` of RFC 6749 section 5.2, or a 401. Otherwise undefined. */
function refusalIn(reply: Reply): GwtokenError | undefined {
  const { status, json, endpoint } = reply;
  const error = json?.['error'];
  // Never retried, because repeated refusals lock clients out.
  const refused = (what: string, hints: Hints, reason?: Reason): GwtokenError =>
    new GwtokenError('refused', `${endpoint} ${what} (HTTP ${describeReply(reply)})`, hints, { reason });
  // Keycloak answers a wrong secret with this code and 401.
  const isWrongSecret = status === 401 && error === 'unauthorized_client';
  const fault = isWrongSecret ? undefined : OTHER_FAULTS.get(error);
  if (fault) return refused(fault.what, [fault.hint]);
  if (status !== 401 && !CREDENTIAL_ERRORS.includes(error)) return undefined;
  return refused('rejected the credentials', typeof error === 'string' ? [] : [CHECK_AUTH_URL], 'rejected');
}

/**
 * Returns whether an API answered instead of a token endpoint, as gateways do to a request without a token.
 * `invalid_request` is also a code of RFC 6749, so it counts only in a Bearer challenge.
 * @see RFC 6750 section 3.1
 */
function isAnswerOfApi({ status, headers, json }: Reply): boolean {
  if (status < 400 || status >= 500) return false;
  const challenge = headers.get('www-authenticate') ?? '';
  const isBearer = /(^|,)\s*bearer\b/i.test(challenge);
  const codes = [json?.['error'], isBearer && /\berror="?(\w+)/i.exec(challenge)?.[1]];
  return (
    codes.some((code) => code === 'invalid_token' || code === 'insufficient_scope') ||
    (isBearer && codes.includes('invalid_request'))
  );
}

function noTokenFrom(reply: Reply): GwtokenError {
  const { status, body, json, words } = reply;
  if (body === 'too-long') return badReply(reply, `answered with more than ${REPLY_LIMIT / 1024} KiB`);
  if (isHtml(reply)) return badReply(reply, `answered ${describeReply(reply)}`, HTML_PAGE);
  if (!json) return badReply(reply, `answered ${status}, but not with a JSON object`);
  const problem = `answered ${status} without a valid access_token${words && ` (${words})`}`;
  return badReply(reply, problem, words ? UNKNOWN_ERROR : UNUSABLE);
}

/** Returns the hints at a reply that is neither a success nor a refusal. */
function failureHints({ status, json, words }: Reply): Hints {
  if (status >= 500) return OUTAGE;
  if (status === 403 && typeof json?.['error'] !== 'string') return FORBIDDEN;
  if (status === 404 || status === 405) return [CHECK_AUTH_URL];
  if (status === 408 || status === 425) return UNUSABLE;
  if (status === 429) return RATE_LIMITED;
  return words ? UNKNOWN_ERROR : UNUSABLE;
}

/** Returns the status, the server's reason and its Retry-After as a part of a sentence. */
function describeReply(reply: Reply, retry?: Retry): string {
  const { status, words } = reply;
  const what = isHtml(reply) ? ' with an HTML page, perhaps from a proxy' : words && `, ${words}`;
  const wait = retry?.afterMs ? ` (retry after ${duration(retry.afterMs)})` : '';
  return `${status}${what}${wait}`;
}

function redirected(reply: Reply): GwtokenError {
  const { status, headers, endpoint, secret } = reply;
  const location = headers.get('location') ?? '';
  const url = location !== '' && URL.canParse(location, endpoint) ? new URL(location, endpoint) : undefined;
  // User info and query may contain secrets.
  const target = url && shownText(`${url.protocol}//${url.host}${url.pathname}`, secret);
  const to = target === undefined ? '' : ` to ${target}`;
  const problem = `answered ${status}, a redirect${to}; gwtoken never follows redirects`;
  return badReply(reply, problem, [CHECK_AUTH_URL]);
}

function isHtml({ headers, json }: Reply): boolean {
  return json === undefined && /\bhtml\b/i.test(headers.get('content-type') ?? '');
}

function badReply(
  { endpoint }: Reply,
  problem: string,
  hints: Hints = UNUSABLE,
  more: Partial<Pick<GwtokenError, 'reason' | 'retry'>> = {},
): GwtokenError {
  return new GwtokenError('bad-reply', `${endpoint} ${problem}`, hints, more);
}
