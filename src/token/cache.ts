/** The cached token: returned only to its owner; an entry that cannot be read is a miss, never an error. */
import { type Client, clientName } from '../client';
import { quietly } from '../errors';
import { VSCHAR } from '../text';
import type { KnownEntry, QuickWorld, World } from '../world';
import type { Query, TokenAnswer } from './query';
import { isFresh, LIFETIME_LIMIT_S, secondsLeft, type Token } from './token';

/** Credentials and auth URL that a token belongs to. */
export interface Owner {
  readonly clientId: string;
  readonly authUrl: string;
  readonly source: OwnerSource;
}

interface OwnerSource {
  readonly kind: unknown;
  /** Salt and HMAC of the secret in a variable, so that a changed secret is noticed. */
  readonly salt?: unknown;
  readonly hmac?: unknown;
  /** Text of the credential command. */
  readonly command?: unknown;
}

export interface CacheEntry extends Owner {
  readonly token: Token & { readonly lifetimeS: number };
  /** The client's generation when its credentials were looked up; a login or logout begins another one. */
  readonly generation: string;
}

type Hash = Pick<World, 'sha256'>;
type OwnQuery = Pick<Query, 'source'> & { readonly authUrl: Pick<Query['authUrl'], 'value'> };

export function ownerOf({ authUrl, source }: OwnQuery, clientId: string, world: Hash): Owner {
  const salt = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
  return { clientId, authUrl: authUrl.value, source: storedSource(source, salt, world) };
}

function storedSource({ kind, identity }: Query['source'], salt: string, { sha256 }: Hash): OwnerSource {
  if (kind === 'keychain') return { kind };
  if (kind === 'command') return { kind, command: identity };
  return { kind, salt, hmac: sha256(identity, Buffer.from(salt, 'hex')) };
}

/**
 * Returns a text to be hashed, of credentials, generation and auth URL: those with the same share a request.
 */
export function sharedBy({ authUrl, source }: OwnQuery, generation: string): string {
  const { kind, clientId, identity } = source;
  return JSON.stringify([authUrl.value, generation, kind, clientId, identity]);
}

/** Tells if an entry or a refusal is for the query's credentials and auth URL. */
export function isFor({ clientId, authUrl, source }: Owner, query: OwnQuery, world: Hash): boolean {
  if (authUrl !== query.authUrl.value || source.kind !== query.source.kind) return false;
  if (clientId !== (query.source.clientId ?? clientId)) return false;
  const { hmac, command } = storedSource(query.source, String(source.salt), world);
  return source.hmac === hmac && source.command === command;
}

/** Returns whether a cached token needs no request: it is fresh, or was requested after this run began. */
export function isUsable(
  entry: CacheEntry,
  { minTtl, startedAtMs }: Pick<Query, 'minTtl' | 'startedAtMs'>,
  nowMs: number,
): boolean {
  const { token } = entry;
  if (lifeLeftMs(entry, nowMs) <= 0) return false;
  return token.requestedAtMs > startedAtMs || isFresh(token, nowMs, minTtl);
}

/** Returns how long a token is still valid, in ms; 0 if the clock was set back since it was requested. */
export function lifeLeftMs({ token }: CacheEntry, nowMs: number): number {
  const ageMs = nowMs - token.requestedAtMs;
  return ageMs < 0 ? 0 : token.lifetimeS * 1000 - ageMs;
}

const VERSION = 1;

export function formatEntry({ token, generation, clientId, authUrl, source }: CacheEntry): string {
  return `${JSON.stringify({
    version: VERSION,
    access_token: token.accessToken,
    token_type: token.tokenType,
    scope: token.scope,
    requested_at_ms: token.requestedAtMs,
    lifetime_s: token.lifetimeS,
    generation,
    client_id: clientId,
    auth_url: authUrl,
    source,
  })}\n`;
}

/** Reads an entry; returns undefined for any text that {@link formatEntry} did not write. */
export function parseEntry(text: string): CacheEntry | undefined {
  const stored = parseObject(text);
  const { access_token: accessToken, token_type: tokenType, scope, requested_at_ms: requestedAtMs } = stored;
  const { lifetime_s: lifetimeS, generation = '' } = stored;
  const { version, client_id: clientId, auth_url: authUrl, source } = stored;
  if (version !== VERSION || typeof source !== 'object' || source === null) return undefined;
  if (typeof clientId !== 'string' || typeof authUrl !== 'string') return undefined;
  if (typeof accessToken !== 'string' || accessToken === '' || !VSCHAR.test(accessToken)) return undefined;
  if (typeof tokenType !== 'string' || typeof scope !== 'string') return undefined;
  if (typeof generation !== 'string') return undefined;
  if (typeof requestedAtMs !== 'number' || typeof lifetimeS !== 'number') return undefined;
  if (lifetimeS > LIFETIME_LIMIT_S) return undefined;
  return {
    token: { accessToken, tokenType, scope, requestedAtMs, lifetimeS },
    generation,
    clientId,
    authUrl,
    source: source as OwnerSource,
  };
}

/** Reads a JSON object; returns an empty one if the text is not JSON. */
export function parseObject(text: string): Record<string, unknown> {
  return quietly(() => JSON.parse(text)) ?? {};
}

export function lookInCache(
  query: Query,
  world: QuickWorld,
  entry = readEntry(query.client, world),
): TokenAnswer | undefined {
  const found = entry && ownEntry(query, world, entry);
  if (found === undefined) {
    const why = entry ? 'the token is for other credentials or another auth URL' : 'no token';
    world.trace(`cache: ${why}`);
    return undefined;
  }
  if (query.fresh && found.token.requestedAtMs <= query.startedAtMs) return undefined;
  const leftS = secondsLeft(found.token, world.now());
  if (isUsable(found, query, world.now())) {
    world.trace(`cache: using a token with ${leftS} s left`);
    return { from: 'cache', token: found.token, clientId: found.clientId, query };
  }
  world.trace(leftS ? `cache: the token has only ${leftS} s left` : 'cache: the token has expired');
  return undefined;
}

/** Returns the client's entry, whoever it belongs to, unless a login or logout came after it. */
export function readEntry(client: Client, { tokens }: Pick<QuickWorld, 'tokens'>): CacheEntry | undefined {
  const { text = '', generation } = tokens.read(client);
  const entry = parseEntry(text);
  return entry?.generation === generation ? entry : undefined;
}

/** Returns the client's entry if it is for these credentials and this auth URL. */
export function ownEntry(
  query: OwnQuery & Pick<Query, 'client'>,
  world: QuickWorld,
  entry = readEntry(query.client, world),
): CacheEntry | undefined {
  if (entry === undefined || !isFor(entry, query, world)) return undefined;
  if (entry.source.kind !== 'keychain') return entry;
  // A login changes the generation too, but not with another cache directory.
  const known = knownClient(query.client, world);
  return known === undefined || known.clientId === entry.clientId ? entry : undefined;
}

/** Returns the client ID and auth URL of a stored client; undefined also if the list cannot be read. */
export function knownClient(
  client: Client,
  { clients }: Pick<QuickWorld, 'clients'>,
): KnownEntry | undefined {
  return quietly(() => clients.read()[clientName(client)]);
}
