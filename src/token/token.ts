import { GwtokenError } from '../errors';
import { isForThisRun, type Setting } from '../settings/table';
import { duration } from '../text';

/** The longest accepted token, in characters: Linux starts no program with a variable of over 128 KiB. */
export const TOKEN_LIMIT = 32 * 1024;

/** The longest lifetime, a century: much longer ones exceed the range of dates. */
export const LIFETIME_LIMIT_S = 100 * 366 * 24 * 3600;

/** A token as the endpoint returned it. Its texts are visible ASCII and spaces. @see RFC 6749 section 5.1 */
export interface Token {
  readonly accessToken: string;
  /** Token type as received: `bearer` in any case. */
  readonly tokenType: string;
  /** Scope; empty if it was absent. */
  readonly scope: string;
  /** Time when the request was sent, in milliseconds since the epoch: the lifetime counts from then. */
  readonly requestedAtMs: number;
  /** Lifetime in seconds, as received (a century at most); undefined if there was no `expires_in`. */
  readonly lifetimeS: number | undefined;
}

/** Returns the time when the token expires, in milliseconds since the epoch; undefined if unknown. */
export function expiresAtMs(token: Token): number | undefined {
  return token.lifetimeS === undefined ? undefined : token.requestedAtMs + token.lifetimeS * 1000;
}

/** Returns the time since another one, in ms; undefined if it is unknown, because the clock was set back. */
export function ageMs(sinceMs: number, nowMs: number): number | undefined {
  return nowMs < sinceMs ? undefined : nowMs - sinceMs;
}

/** Returns whether the token has more than min-ttl left. */
export function lastsMinTtl(token: Token, nowMs: number, minTtl: Setting<number> | undefined): boolean {
  const until = freshUntilMs(token, minTtl);
  return until !== undefined && nowMs < until;
}

/**
 * Returns the time when the token has only min-ttl left, in milliseconds since the epoch. By default min-ttl
 * is the smaller of 300 s and a fifth of the lifetime. A min-ttl from the config file is limited to half of
 * the lifetime: otherwise an endpoint that returns the same ageing token would be asked at each call.
 */
export function freshUntilMs(
  { requestedAtMs, lifetimeS }: Token,
  minTtl: Setting<number> | undefined,
): number | undefined {
  if (lifetimeS === undefined) return undefined;
  const lifetimeMs = lifetimeS * 1000;
  const mostMs = isDemand(minTtl) ? Number.POSITIVE_INFINITY : lifetimeMs / 2;
  const leastMs = Math.min(minTtl?.value ?? Math.min(300_000, lifetimeMs / 5), mostMs);
  return requestedAtMs + lifetimeMs - leastMs;
}

/** Returns whether min-ttl is a demand, from a flag or variable. One from the config file is a wish. */
export function isDemand(minTtl: Setting<number> | undefined): minTtl is Setting<number> {
  return minTtl !== undefined && isForThisRun(minTtl);
}

/** Returns the error if the token cannot meet a demanded min-ttl; undefined if it does. */
export function minTtlProblem(
  token: Token,
  minTtl: Setting<number> | undefined,
  nowMs: number,
): GwtokenError | undefined {
  if (!isDemand(minTtl) || lastsMinTtl(token, nowMs, minTtl)) return undefined;
  const { text, source } = minTtl;
  const untilMs = expiresAtMs(token);
  if (untilMs === undefined) {
    const message = `this endpoint does not say how long its tokens last; ${source.name} requires it`;
    return new GwtokenError('bad-reply', message, [`omit ${source.name}`]);
  }
  const left = duration(Math.max(0, untilMs - nowMs));
  const message = `${source.name} ${text} is too long: the token from the endpoint has ${left} left`;
  return new GwtokenError('bad-reply', message, [`lower ${source.name}`]);
}
