/**
 * What is kept of a token between runs, and whether it may be used: strict about whose it is, tolerant about the rest
 * (contract section 7). Whatever cannot be read is a miss, never an error.
 */

import type { CredentialPlan } from '../credentials/plan';
import { VSCHAR } from '../text';
import type { World } from '../world/world';
import type { TokenQuery } from './query';
import { expiresAtMs, isFresh, type Token } from './token';

/** A token with everything that must be the same for it to be used again. */
export interface CacheEntry {
  readonly token: Token & { readonly lifetimeS: number };
  readonly clientId: string;
  readonly authUrl: string;
  readonly source: EntrySource;
  /** The request brought no later expiry than the token before it had: the endpoint gives the same ageing token again. */
  readonly ageing: boolean;
}

/** The secret of variables is held as an HMAC under a random salt; a changed keychain is noticed at the next fetch. */
export type EntrySource =
  | { readonly kind: 'variables'; readonly salt: string; readonly hmac: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'keychain' };

type Crypto = Pick<World, 'crypto'>;

/** Whether an entry (or a failure that another process shares) is about the very client that this run asks for. */
export function isSame(
  entry: Pick<CacheEntry, 'clientId' | 'authUrl' | 'source'>,
  { authUrl, plan }: Pick<TokenQuery, 'authUrl' | 'plan'>,
  world: Crypto,
): boolean {
  const { source } = entry;
  if (entry.authUrl !== authUrl.value) return false;
  if (plan.kind === 'variables') {
    const { clientId, clientSecret } = plan.credentials;
    return (
      source.kind === 'variables' &&
      entry.clientId === clientId &&
      source.hmac === hmac(source.salt, clientSecret, world)
    );
  }
  if (plan.kind === 'command') {
    return source.kind === 'command' && source.command === plan.command.value;
  }
  return source.kind === 'keychain';
}

export function sourceOf(plan: CredentialPlan, world: Crypto): EntrySource {
  if (plan.kind === 'keychain') return { kind: 'keychain' };
  if (plan.kind === 'command') return { kind: 'command', command: plan.command.value };
  const salt = world.crypto().randomBytes(16).toString('hex');
  return { kind: 'variables', salt, hmac: hmac(salt, plan.credentials.clientSecret, world) };
}

function hmac(salt: string, secret: string, { crypto }: Crypto): string {
  return crypto().createHmac('sha256', Buffer.from(salt, 'hex')).update(secret).digest('hex');
}

/**
 * Whether a cached token is good enough to be used without asking the endpoint: it has the minimum life left. Asking
 * again would bring nothing better where the token was asked for after this run began, and for the one that the
 * endpoint just gave again without a later expiry, until half of what was left then has passed (5 s at least).
 */
export function isUsable(
  entry: CacheEntry,
  { settings, startedAtMs }: Pick<TokenQuery, 'settings' | 'startedAtMs'>,
  nowMs: number,
): boolean {
  const { token, ageing } = entry;
  if (lifeLeftMs(entry, nowMs) <= 0) return false;
  if (isFresh(token, nowMs, settings.minTtlMs?.value)) return true;
  const askAgainMs = token.requestedAtMs + Math.max(5000, (token.lifetimeS * 1000) / 2);
  return token.requestedAtMs > startedAtMs || (ageing && nowMs < askAgainMs);
}

/** What a token has left to live, in milliseconds; none if the clock was set back since, or it would be eternal. */
export function lifeLeftMs({ token }: CacheEntry, nowMs: number): number {
  const ageMs = nowMs - token.requestedAtMs;
  return ageMs < 0 ? 0 : token.lifetimeS * 1000 - ageMs;
}

/** Whether `next` is what {@link CacheEntry.ageing} tells; a second of tolerance, since lifetimes are whole seconds. */
export function isAgeing(previous: Token | undefined, next: Token): boolean {
  const before = previous && expiresAtMs(previous);
  const after = expiresAtMs(next);
  if (previous === undefined || before === undefined || after === undefined) return false;
  return previous.requestedAtMs <= next.requestedAtMs && after <= before + 1000;
}

export function formatEntry({ token, clientId, authUrl, source, ageing }: CacheEntry): string {
  return `${JSON.stringify({
    version: VERSION,
    access_token: token.accessToken,
    token_type: token.tokenType,
    scope: token.scope,
    requested_at_ms: token.requestedAtMs,
    lifetime_s: token.lifetimeS,
    client_id: clientId,
    auth_url: authUrl,
    source,
    ageing,
  })}\n`;
}

const VERSION = 1;

/** Reads an entry; undefined for anything that {@link formatEntry} did not write. */
export function parseEntry(text: string): CacheEntry | undefined {
  let stored: Record<string, unknown>;
  try {
    stored = JSON.parse(text) ?? {};
  } catch {
    return undefined;
  }
  const { access_token: accessToken, token_type: tokenType, scope, requested_at_ms: requestedAtMs } = stored;
  const { lifetime_s: lifetimeS, client_id: clientId, auth_url: authUrl, ageing } = stored;
  const source = parseSource(stored['source']);
  if (stored['version'] !== VERSION || source === undefined) return undefined;
  if (typeof accessToken !== 'string' || accessToken === '' || !VSCHAR.test(accessToken)) return undefined;
  if (typeof tokenType !== 'string' || typeof scope !== 'string') return undefined;
  if (!Number.isFinite(requestedAtMs) || !Number.isFinite(lifetimeS)) return undefined;
  if (typeof clientId !== 'string' || typeof authUrl !== 'string') return undefined;
  const token = {
    accessToken,
    tokenType,
    scope,
    requestedAtMs: Number(requestedAtMs),
    lifetimeS: Number(lifetimeS),
  };
  return { token, clientId, authUrl, source, ageing: ageing === true };
}

/** Reads an {@link EntrySource} of JSON; undefined for anything else. */
export function parseSource(stored: unknown): EntrySource | undefined {
  const { kind, salt, hmac, command } = (stored ?? {}) as Record<string, unknown>;
  if (kind === 'keychain') return { kind };
  if (kind === 'command' && typeof command === 'string') return { kind, command };
  if (kind === 'variables' && typeof salt === 'string' && typeof hmac === 'string')
    return { kind, salt, hmac };
  return undefined;
}
