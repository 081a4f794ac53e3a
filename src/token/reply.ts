/** The endpoint's reply: a token, a refusal, or an error that may be worth another attempt. */
import { GwtokenError, OAUTH_ERRORS, orUndefined, type Retry } from '../errors';
import { duration, VSCHAR } from '../text';
import type { FormReply } from '../world';
import { containsSecret, shownText } from './endpoint-text';
import { LIFETIME_LIMIT_S, TOKEN_LIMIT, type Token } from './token';

/** Statuses after which a retry may help. */
const RETRIED = [408, 425, 429, 500, 502, 503, 504];

/**
 * Returns undefined if no retry helps after this status, else the wait by its Retry-After in seconds
 * (RFC 9110 section 10.2.3; a date there is as good as none).
 */
export function retryOfReply(status: number, headers: FormReply['headers']): Retry | undefined {
  if (!RETRIED.includes(status)) return undefined;
  const seconds = headers.get('retry-after')?.trim() ?? '';
  return { afterMs: /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined };
}

/** A reply, and the facts about its request that judging it takes. */
interface Reply extends FormReply {
  readonly endpoint: string;
  /** Time when the request was sent, in ms since the epoch. */
  readonly requestedAtMs: number;
  /** The client secret, to recognize texts that repeat it. */
  readonly secret: string;
  /** The body, if it is a JSON object. */
  readonly json: Record<string, unknown> | undefined;
}

/**
 * Returns the token in a reply, strictly by RFC 6749 section 5.1 (success) and 5.2 (refusal), since it is
 * printed. No error contains a part of the body but the cleaned `error` and `error_description`.
 *
 * @throws GwtokenError `refused` or `bad-reply`
 */
export function judgeReply(given: Omit<Reply, 'json'>): Token {
  const reply: Reply = { ...given, json: jsonObject(given.body) };
  const { status, headers } = reply;
  if (status === 200 && !isHtml(reply)) return tokenIn(reply);
  if (status >= 300 && status < 400) throw redirected(reply);
  const retry = retryOfReply(status, headers);
  const wait = retry?.afterMs ? ` (retry after ${duration(retry.afterMs)})` : '';
  const hints = HINTS[status] ?? (status >= 500 ? OUTAGE : FURTHER);
  const answered = `answered ${describeReply(reply)}${wait}`;
  throw refusalIn(reply, retry) ?? badReply(reply, answered, hints, retry);
}

export const CHECK_AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const FURTHER = ['possible causes: gwtoken help network'];
const OUTAGE = ['the problem is on the server; try again later'];

/** Hints for the statuses of what is no token and no refusal. */
const HINTS: Readonly<Record<number, readonly string[]>> = {
  200: ['check the auth URL; a login page or firewall may be answering instead'],
  401: ["check the auth URL: this is an API's answer, not a token endpoint's"],
  403: [
    'a firewall or proxy may be blocking this; ask its administrator',
    'or the server rejects the credentials in this way: check the client ID and secret',
  ],
  404: [CHECK_AUTH_URL],
  405: [CHECK_AUTH_URL],
  429: ['too many requests: try again later; without --fresh and --no-cache, calls share the cached token'],
};

function tokenIn(reply: Reply): Token {
  const { body, json, requestedAtMs, secret } = reply;
  const bad = (problem: string): GwtokenError => badReply(reply, problem);
  if (body === 'too-long') throw bad('answered with more than 64 KiB');
  if (json === undefined) throw bad('answered 200, but not with a JSON object');
  const { access_token: accessToken, token_type: tokenType } = json;
  const scope = json['scope'] ?? '';
  if (typeof accessToken !== 'string' || accessToken === '') {
    const words = errorWords(reply);
    throw bad(`answered 200 without a valid access_token${words && ` (${words})`}`);
  }
  if (accessToken.length > TOKEN_LIMIT)
    throw bad(`returned an access_token longer than ${TOKEN_LIMIT / 1024} KiB`);
  if (!VSCHAR.test(accessToken)) throw bad('returned an access_token with invalid characters');
  if (typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer')
    throw bad('returned a token_type other than bearer, or none');
  if (typeof scope !== 'string' || !VSCHAR.test(scope)) throw bad('returned an invalid scope');
  // A shorter secret, such as `test` or `sandbox`, is a word that a good token may contain.
  if (secret.length >= 8 && containsSecret(`${accessToken} ${scope}`, secret))
    throw bad('returned the client secret as a token or scope');
  return { accessToken, tokenType, scope, requestedAtMs, lifetimeS: lifetimeIn(json['expires_in'], bad) };
}

/** Returns the lifetime in seconds. Some servers send a numeric string, or null if there is none. */
function lifetimeIn(expiresIn: unknown, bad: (problem: string) => GwtokenError): number | undefined {
  if (expiresIn === undefined || expiresIn === null) return undefined;
  const value = typeof expiresIn === 'string' && /^\d+$/.test(expiresIn) ? Number(expiresIn) : expiresIn;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0)
    return Math.min(value, LIFETIME_LIMIT_S);
  throw bad('returned an expires_in that is not a positive integer');
}

function jsonObject(body: Reply['body']): Reply['json'] {
  if (body === 'too-long') return undefined;
  const parsed: unknown = orUndefined(() => JSON.parse(new TextDecoder().decode(body)));
  return parsed instanceof Object && !Array.isArray(parsed) ? (parsed as Reply['json']) : undefined;
}

function refusalIn(reply: Reply, retry: Retry | undefined): GwtokenError | undefined {
  const { status, endpoint, json } = reply;
  const code = json?.['error'];
  const known = status >= 400 && status < 500 ? OAUTH_ERRORS.find((each) => each === code) : undefined;
  // With any other `error` a 401 is not a token endpoint's: gateways answer so to a request without a token.
  if (!known && (status !== 401 || code !== undefined)) return undefined;
  return new GwtokenError('refused', `${endpoint} rejected the credentials (HTTP ${describeReply(reply)})`, {
    reason: known ?? 'unauthorized',
    retry,
  });
}

function describeReply(reply: Reply): string {
  if (isHtml(reply)) return `${reply.status} with an HTML page (from a proxy?)`;
  const words = errorWords(reply);
  return `${reply.status}${words && `, ${words}`}`;
}

function errorWords({ json, secret }: Reply): string {
  const parts = [json?.['error'], json?.['error_description']];
  return parts.flatMap((part) => shownText(part, secret) ?? []).join(': ');
}

/** Returns the error with the target, but without its user info and query: those may contain anything. */
function redirected(reply: Reply): GwtokenError {
  const { status, headers, endpoint, secret } = reply;
  const location = headers.get('location') ?? '';
  const url = location !== '' && URL.canParse(location, endpoint) ? new URL(location, endpoint) : undefined;
  const target = url && shownText(`${url.protocol}//${url.host}${url.pathname}`, secret);
  const to = target === undefined ? '' : ` to ${target}`;
  const problem = `answered ${status}, a redirect${to}; gwtoken never follows redirects`;
  return badReply(reply, problem, ['check the auth URL: it must not redirect']);
}

function isHtml({ headers, json }: Reply): boolean {
  return json === undefined && /\bhtml\b/i.test(headers.get('content-type') ?? '');
}

function badReply(
  { endpoint }: Reply,
  problem: string,
  hints: readonly string[] = FURTHER,
  retry?: Retry,
): GwtokenError {
  return new GwtokenError('bad-reply', `${endpoint} ${problem}`, { hints, retry });
}
