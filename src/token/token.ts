/** The longest accepted token, in characters: Linux starts no program with a variable of over 128 KiB. */
export const TOKEN_LIMIT = 32 * 1024;

/** The longest lifetime, a century: much longer ones exceed the range of dates. */
export const LIFETIME_LIMIT_S = 100 * 366 * 24 * 3600;

/** A token as the endpoint returned it (RFC 6749 section 5.1). */
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

/** Returns the time when the token expires, in milliseconds since the epoch; undefined if it is not known. */
export function expiresAtMs(token: Token): number | undefined {
  return token.lifetimeS === undefined ? undefined : token.requestedAtMs + token.lifetimeS * 1000;
}

/** Returns the whole seconds that the token has left, at least 0; undefined if its lifetime is not known. */
export function secondsLeft(token: Token, nowMs: number): number | undefined {
  const expiresAt = expiresAtMs(token);
  return expiresAt === undefined ? undefined : Math.max(0, Math.floor((expiresAt - nowMs) / 1000));
}

/**
 * Returns whether the token has more than min-ttl left, by default the smaller of 300 s and a fifth of its
 * lifetime: with 300 s for all, a token that lasts no longer would be requested again at each call.
 */
export function isFresh(token: Token, nowMs: number, minTtlMs: number | undefined): boolean {
  const until = freshUntilMs(token, minTtlMs);
  return until !== undefined && nowMs < until;
}

/** Returns the time when the token stops being {@link isFresh}, in milliseconds since the epoch. */
export function freshUntilMs(
  { requestedAtMs, lifetimeS }: Token,
  minTtlMs: number | undefined,
): number | undefined {
  if (lifetimeS === undefined) return undefined;
  const lifetimeMs = lifetimeS * 1000;
  return requestedAtMs + lifetimeMs - (minTtlMs ?? Math.min(300_000, lifetimeMs / 5));
}
