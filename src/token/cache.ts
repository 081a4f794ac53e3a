/**
 * The cached token: strict about whose it is, tolerant about the rest. Whatever cannot be read is a miss, never an error.
 */
import { type Client, clientName } from '../client';
import { VSCHAR } from '../text';
import type { KnownEntry, WarmWorld, World } from '../world';
import type { TokenAnswer, TokenQuery } from './query';
import { expiresAtMs, isFresh, LIFETIME_LIMIT_S, secondsLeft, type Token } from './token';

/** Identifies the credentials and the auth URL that a token belongs to. */
export interface Owner {
  readonly clientId: string;
  readonly authUrl: string;
  readonly source: OwnerSource;
}

/** A changed keychain item is noticed at the next fetch. */
type OwnerSource =
  | { readonly kind: 'variables'; readonly salt: string; readonly hmac: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'keychain' };

export interface CacheEntry extends Owner {
  readonly token: Token & { readonly lifetimeS: number };
  /** The endpoint returned the token of the request before again, or one that expires no later. */
  readonly ageing: boolean;
  /** The client's generation when its credentials were looked for; a login or logout begins another one. */
  readonly generation: string;
}

type Hash = Pick<World, 'sha256'>;
type OwnQuery = Pick<TokenQuery, 'authUrl' | 'plan'>;

export function ownerOf({ authUrl, plan }: OwnQuery, clientId: string, world: Hash): Owner {
  return { clientId, authUrl: authUrl.value, source: sourceOf(plan, world) };
}

function sourceOf(plan: TokenQuery['plan'], world: Hash): OwnerSource {
  if (plan.kind === 'keychain') return { kind: 'keychain' };
  if (plan.kind === 'command') return { kind: 'command', command: plan.command.value };
  const salt = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
  return { kind: 'variables', salt, hmac: hmac(salt, plan.credentials.clientSecret, world) };
}

/** Names the credentials, their generation and the auth URL: processes with the same name may share a request. */
export function ownerDigest({ authUrl, plan }: OwnQuery, generation: string, { sha256 }: Hash): string {
  const own =
    plan.kind === 'variables'
      ? [plan.credentials.clientId, plan.credentials.clientSecret]
      : [plan.kind === 'command' ? plan.command.value : ''];
  const parts = JSON.stringify([authUrl.value, generation, plan.kind, ...own]);
  return sha256(parts).slice(0, 12);
}

export function isFor({ clientId, authUrl, source }: Owner, query: OwnQuery, world: Hash): boolean {
  const { plan } = query;
  if (authUrl !== query.authUrl.value) return false;
  if (plan.kind === 'variables') {
    return (
      source.kind === 'variables' &&
      clientId === plan.credentials.clientId &&
      source.hmac === hmac(source.salt, plan.credentials.clientSecret, world)
    );
  }
  if (plan.kind === 'command') return source.kind === 'command' && source.command === plan.command.value;
  return source.kind === 'keychain';
}

function hmac(salt: string, secret: string, { sha256 }: Hash): string {
  return sha256(secret, Buffer.from(salt, 'hex'));
}

/**
 * Whether a cached token may be used without a request: it has more than min-ttl left, or a request would bring nothing
 * better. That is so if the token was requested after this run began, or if the endpoint returned an ageing one: then
 * until half of what was left has passed (5 s at least).
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

/** Returns how long a token is still valid, in milliseconds; 0 if the clock was set back since it was requested. */
export function lifeLeftMs({ token }: CacheEntry, nowMs: number): number {
  const ageMs = nowMs - token.requestedAtMs;
  return ageMs < 0 ? 0 : token.lifetimeS * 1000 - ageMs;
}

/** Whether `next` is what {@link CacheEntry.ageing} means; a second of tolerance, since lifetimes are whole seconds. */
export function isAgeing(previous: Token | undefined, next: Token): boolean {
  const before = previous && expiresAtMs(previous);
  const after = expiresAtMs(next);
  if (previous === undefined || before === undefined || after === undefined) return false;
  return previous.requestedAtMs <= next.requestedAtMs && after <= before + 1000;
}

const VERSION = 1;

export function formatEntry({ token, ageing, generation, ...owner }: CacheEntry): string {
  return `${JSON.stringify({
    version: VERSION,
    access_token: token.accessToken,
    token_type: token.tokenType,
    scope: token.scope,
    requested_at_ms: token.requestedAtMs,
    lifetime_s: token.lifetimeS,
    ageing,
    generation,
    ...ownerJson(owner),
  })}\n`;
}

/** Reads an entry; undefined for anything that {@link formatEntry} did not write. */
export function parseEntry(text: string): CacheEntry | undefined {
  const stored = parseObject(text);
  const { access_token: accessToken, token_type: tokenType, scope, requested_at_ms: requestedAtMs } = stored;
  const { lifetime_s: lifetimeS, ageing, generation = '' } = stored;
  const owner = parseOwner(stored);
  if (stored['version'] !== VERSION || owner === undefined) return undefined;
  if (typeof accessToken !== 'string' || accessToken === '' || !VSCHAR.test(accessToken)) return undefined;
  if (typeof tokenType !== 'string' || typeof scope !== 'string') return undefined;
  if (typeof generation !== 'string') return undefined;
  if (typeof requestedAtMs !== 'number' || typeof lifetimeS !== 'number') return undefined;
  if (lifetimeS > LIFETIME_LIMIT_S) return undefined;
  return {
    token: { accessToken, tokenType, scope, requestedAtMs, lifetimeS },
    ageing: ageing === true,
    generation,
    ...owner,
  };
}

function ownerJson({ clientId, authUrl, source }: Owner): object {
  return { client_id: clientId, auth_url: authUrl, source };
}

function parseOwner(stored: Record<string, unknown>): Owner | undefined {
  const { client_id: clientId, auth_url: authUrl } = stored;
  const { kind, salt, hmac, command } = (stored['source'] ?? {}) as Record<string, unknown>;
  if (typeof clientId !== 'string' || typeof authUrl !== 'string') return undefined;
  if (kind === 'keychain') return { clientId, authUrl, source: { kind } };
  if (kind === 'command' && typeof command === 'string')
    return { clientId, authUrl, source: { kind, command } };
  if (kind === 'variables' && typeof salt === 'string' && typeof hmac === 'string')
    return { clientId, authUrl, source: { kind, salt, hmac } };
  return undefined;
}

/** Reads a JSON object; anything else is an empty one. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Returns the cached token if it belongs to these credentials and is valid for long enough. */
export function lookInCache(
  query: TokenQuery,
  world: WarmWorld,
  entry = readEntry(query.client, world),
): TokenAnswer | undefined {
  const own = entry && ownEntry(query, world, entry);
  if (own === undefined) {
    world.trace(
      `cache: ${entry === undefined ? 'no token' : 'the token is for other credentials or another auth URL'}`,
    );
    return undefined;
  }
  if (query.fresh && own.token.requestedAtMs <= query.startedAtMs) return undefined;
  const leftS = secondsLeft(own.token, world.now());
  if (isUsable(own, query, world.now())) {
    world.trace(`cache: using a token with ${leftS} s left`);
    return answerFrom(own, query);
  }
  world.trace(leftS ? `cache: the token has only ${leftS} s left` : 'cache: the token has expired');
  return undefined;
}

export function answerFrom(
  { token, clientId }: CacheEntry,
  { client, authUrl, settings }: TokenQuery,
): TokenAnswer {
  const minTtlMs = settings.minTtlMs?.value;
  return { token, client, authUrl: authUrl.value, clientId, minTtlMs, from: 'cache' };
}

/** Returns what is cached for a client since its last login or logout, for whatever credentials and auth URL. */
export function readEntry(client: Client, { tokens }: Pick<WarmWorld, 'tokens'>): CacheEntry | undefined {
  const { text, generation } = tokens.read(client);
  const entry = text === undefined ? undefined : parseEntry(text);
  return entry?.generation === generation ? entry : undefined;
}

/** Returns the client's entry if it is for these credentials and this auth URL. */
export function ownEntry(
  query: TokenQuery,
  world: WarmWorld,
  entry = readEntry(query.client, world),
): CacheEntry | undefined {
  const isOwn = entry !== undefined && isFor(entry, query, world) && !isOfClientBefore(entry, query, world);
  return isOwn ? entry : undefined;
}

/**
 * Whether a login has replaced the credentials of the entry. The generation tells that too, but not after a login with
 * another cache directory, or one that could not write to this one.
 */
function isOfClientBefore(
  { clientId, source }: CacheEntry,
  { client }: TokenQuery,
  world: WarmWorld,
): boolean {
  return source.kind === 'keychain' && (knownClient(client, world)?.clientId ?? clientId) !== clientId;
}

/** Returns the client ID and auth URL of a stored client; undefined also if the list of them cannot be read. */
export function knownClient(client: Client, { clients }: Pick<WarmWorld, 'clients'>): KnownEntry | undefined {
  try {
    return clients.read()[clientName(client)];
  } catch {
    return undefined;
  }
}
