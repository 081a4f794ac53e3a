/**
 * Judges what the endpoint answered: strict, since whatever passes here is printed as a token (contract section 6).
 * Success by RFC 6749 section 5.1, a refusal by section 5.2; everything else is `bad-reply`. No message ever holds a
 * part of the body, except the cleaned `error` and `error_description` of a refusal.
 */
import { GwtokenError } from '../errors';
import type { FetchReply } from '../world';
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

export function judgeReply(reply: Reply, asked: Asked): Token {
  const { status } = reply;
  if (status >= 300 && status < 400) throw redirected(reply, asked);
  if (status >= 400 && status < 500) {
    const refusal = refusalIn(reply, asked);
    if (refusal) throw refusal;
  }
  if (status !== 200)
    throw badReply(
      asked,
      `answered ${isHtml(reply) ? `${status} with an HTML page (a proxy's?)` : said(reply, asked)}`,
    );
  return tokenIn(objectIn(reply, asked), asked);
}

/** The token of a success reply, each member checked by its own rule. */
function tokenIn(reply: Record<string, unknown>, asked: Asked): Token {
  const { access_token: accessToken, token_type: tokenType, scope, expires_in: expiresIn } = reply;
  if (typeof accessToken !== 'string' || accessToken === '') {
    throw badReply(
      asked,
      'answered 200 without an access_token',
      ...(typeof reply['error'] === 'string' ? ['the reply has an error in it instead'] : []),
    );
  }
  if (accessToken.length > TOKEN_LIMIT) throw badReply(asked, 'gave an access_token of more than 32 KiB');
  // VSCHAR, RFC 6749 appendix A.12.
  if (!/^[\x20-\x7e]+$/.test(accessToken))
    throw badReply(asked, 'gave an access_token with characters that a token cannot have');
  if (typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer') {
    throw badReply(
      asked,
      tokenType === undefined ? 'gave no token_type' : 'gave a token_type other than bearer',
    );
  }
  if (scope !== undefined && scope !== null && (typeof scope !== 'string' || !/^[\x20-\x7e]*$/.test(scope))) {
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

/** `expires_in` in seconds: a positive integer, also as a numeric string, as some servers send it. */
function lifetimeIn(expiresIn: unknown, asked: Asked): number | undefined {
  if (expiresIn === undefined || expiresIn === null) return undefined;
  const seconds =
    typeof expiresIn === 'string' && /^\d{1,15}$/.test(expiresIn) ? Number(expiresIn) : expiresIn;
  if (typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0 && seconds <= LONGEST_S)
    return seconds;
  throw badReply(asked, 'gave an expires_in that is not a positive whole number of seconds');
}

/** A century: beyond it the number is no lifetime, and dates made of it stop being valid. */
const LONGEST_S = 100 * 366 * 24 * 3600;

function objectIn(reply: Reply, asked: Asked): Record<string, unknown> {
  if (reply.body === 'too-long') throw badReply(asked, 'answered with more than 64 KiB');
  if (reply.body.length === 0) throw badReply(asked, 'answered 200 with an empty body');
  const parsed = parseJson(reply.body);
  if (parsed !== undefined) return parsed;
  throw badReply(
    asked,
    isHtml(reply)
      ? "answered with an HTML page (a proxy's?)"
      : 'answered 200 with something other than a JSON object',
  );
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
function refusalIn(reply: Reply, asked: Asked): GwtokenError | undefined {
  const { code } = errorIn(reply, asked);
  const known = code !== undefined && REFUSALS.includes(code);
  if (!known && reply.status !== 401) return undefined;
  return new GwtokenError('refused', `${asked.endpoint} refused these credentials (${said(reply, asked)})`, {
    reason: known ? code : 'invalid_client',
  });
}

/** The status, and the `error` and `error_description` of the body, if it has them: `400, invalid_client: unknown client`. */
function said(reply: Reply, asked: Asked): string {
  const { code, description } = errorIn(reply, asked);
  const words = [code, description].filter((part) => part !== undefined).join(': ');
  return words === '' ? String(reply.status) : `${reply.status}, ${words}`;
}

function errorIn(
  reply: Reply,
  { secret }: Asked,
): { code: string | undefined; description: string | undefined } {
  const body = reply.body === 'too-long' ? undefined : parseJson(reply.body);
  return { code: shown(body?.['error'], secret), description: shown(body?.['error_description'], secret) };
}

/** A text of the endpoint's, as it is safe to show: one line, 200 characters at most, and nothing if it has the secret in it. */
function shown(text: unknown, secret: string): string | undefined {
  const forms = [secret, new URLSearchParams({ s: secret }).toString().slice(2), encodeURIComponent(secret)];
  if (typeof text !== 'string' || forms.some((form) => text.includes(form))) return undefined;
  const clean = text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ').trim();
  return clean === '' ? undefined : clean.slice(0, 200);
}

function redirected(reply: Reply, asked: Asked): GwtokenError {
  const target = shown(reply.headers.get('location'), asked.secret);
  return badReply(
    asked,
    `answered ${reply.status}, a redirect${target === undefined ? '' : ` to ${target}`}, which is never followed`,
    'check the auth URL: it must be the address that answers itself',
  );
}

function isHtml(reply: Reply): boolean {
  if (/\bhtml\b/i.test(reply.headers.get('content-type') ?? '')) return true;
  return (
    reply.body !== 'too-long' &&
    /^\s*<(!doctype|html)/i.test(Buffer.from(reply.body.slice(0, 100)).toString('latin1'))
  );
}

function badReply(asked: Asked, problem: string, ...hints: string[]): GwtokenError {
  return new GwtokenError('bad-reply', `${asked.endpoint} ${problem}`, { hints });
}
