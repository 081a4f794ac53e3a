/** The cached token. It is returned only to its owner, and an unreadable entry is a miss, never an error. */
import { type Client, clientName } from '../client';
import type { CredentialSource } from '../credentials/sources';
import { orUndefined } from '../errors';
import { VSCHAR } from '../text';
import type { CachePlace, QuickWorld, StoredClient, World } from '../world';
import type { Query, TokenAnswer } from './query';
import { isFresh, LIFETIME_LIMIT_S, type Token } from './token';

/** Template of the owner of a token or failure: parseLike() accepts JSON with these fields and types. */
export const OWNER = {
  authUrl: '',
  kind: '',
  /** Salt of all HMACs in an entry or failure. */
  salt: '',
  /** HMAC of the source's identity. Empty for the keychain, where a login begins a new generation. */
  hmac: '',
  /** The client's generation when its credentials were loaded; a login or logout begins a new one. */
  generation: '',
};
export type Owner = Readonly<typeof OWNER>;

const TOKEN = { accessToken: '', tokenType: '', scope: '', requestedAtMs: 0, lifetimeS: 0 };
const ENTRY = { ...OWNER, clientId: '', token: TOKEN satisfies Token };
export type CacheEntry = Readonly<typeof ENTRY>;

type OwnerQuery = Pick<Query, 'source'> & { readonly authUrl: Pick<Query['authUrl'], 'value'> };
type PlaceQuery = Pick<Query, 'client'> & {
  readonly source: Pick<CredentialSource, 'clientId' | 'identity'>;
  readonly authUrl: Pick<Query['authUrl'], 'text'>;
};

/**
 * Returns the place of a query's cache files. Without the keychain it also depends on the client ID or the
 * command, and on the auth URL, so that two jobs of one user neither wait for each other nor evict each
 * other's token.
 */
export function placeOf({ client, source, authUrl }: PlaceQuery): CachePlace {
  const identity = source.clientId ?? source.identity;
  return identity === '' ? client : { ...client, slot: shortHash(`${identity} ${authUrl.text}`) };
}

/**
 * Returns a hash of eight hexadecimal digits (FNV-1a). Each entry names its owner, so a collision is a miss.
 */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export function ownerOf(
  { authUrl, source }: OwnerQuery,
  generation: string,
  world: Pick<World, 'hmac' | 'salt'>,
): Owner {
  const { kind, identity } = source;
  const salt = world.salt();
  return { authUrl: authUrl.value, kind, salt, hmac: saltedHmac(identity, salt, world), generation };
}

/** Returns the HMAC-SHA-256 of a text that may contain a secret. Empty text has no HMAC. */
export function saltedHmac(text: string, salt: string, { hmac }: Pick<World, 'hmac'>): string {
  return text === '' ? '' : hmac(text, Buffer.from(salt));
}

/** Returns whether an entry or failure belongs to the query's credentials and auth URL. */
export function isFor(
  { authUrl, kind, salt, hmac }: Owner,
  query: OwnerQuery,
  world: Pick<World, 'hmac'>,
): boolean {
  if (authUrl !== query.authUrl.value || kind !== query.source.kind) return false;
  return hmac === saltedHmac(query.source.identity, salt, world);
}

/** Returns whether a cached token is fresh enough, or was requested after this run began. */
export function isUsable(
  entry: CacheEntry,
  { minTtl, fresh, startedAtMs }: Pick<Query, 'minTtl' | 'fresh' | 'startedAtMs'>,
  nowMs: number,
): boolean {
  const { token } = entry;
  if (lifeLeftMs(entry, nowMs) <= 0) return false;
  return token.requestedAtMs > startedAtMs || (!fresh && isFresh(token, nowMs, minTtl));
}

/** Returns how long a token is still valid, in ms; 0 if the clock was set back since its request. */
export function lifeLeftMs({ token }: CacheEntry, nowMs: number): number {
  const ageMs = nowMs - token.requestedAtMs;
  return ageMs < 0 ? 0 : Math.max(0, token.lifetimeS * 1000 - ageMs);
}

export function formatEntry(entry: CacheEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Reads an entry; returns undefined for any text that {@link formatEntry} did not write. */
export function parseEntry(text: string): CacheEntry | undefined {
  const entry = parseLike(text, ENTRY);
  if (entry === undefined) return undefined;
  const { accessToken, tokenType, scope, lifetimeS } = entry.token;
  // A shell evaluates these texts, so an edited file must not add statements.
  const isToken = accessToken !== '' && [accessToken, tokenType, scope].every((each) => VSCHAR.test(each));
  return isToken && lifetimeS <= LIFETIME_LIMIT_S ? entry : undefined;
}

/** Parses JSON that has the fields and types of the example; returns undefined for any other text. */
export function parseLike<T>(text: string, example: T): T | undefined {
  const value: unknown = orUndefined(() => JSON.parse(text));
  return isLike(value, example) ? value : undefined;
}

function isLike<T>(value: unknown, example: T): value is T {
  if (typeof value !== typeof example || value === null) return false;
  return Object.entries(example as object).every(([name, each]) =>
    isLike((value as Record<string, unknown>)[name], each),
  );
}

/** Returns the cached token if it belongs to the query and may be used; otherwise undefined. */
export function lookInCache(
  query: Query,
  world: QuickWorld,
  entry = readEntry(query, world),
): TokenAnswer | undefined {
  const found = entry && ownEntry(query, world, entry);
  if (found === undefined) {
    world.trace(entry ? 'cache: a token for other credentials or another auth URL' : 'cache: no token');
    return undefined;
  }
  const { token, clientId } = found;
  const leftS = Math.floor(lifeLeftMs(found, world.now()) / 1000);
  const mayUse = isUsable(found, query, world.now());
  world.trace(`cache: ${mayUse ? 'using' : 'not using'} a token with ${leftS} s left`);
  return mayUse ? { from: 'cache', token, clientId, query } : undefined;
}

/** Returns the entry in a query's place, of any owner, unless a login or logout came after it. */
export function readEntry(query: PlaceQuery, { tokens }: Pick<QuickWorld, 'tokens'>): CacheEntry | undefined {
  const { text = '', generation } = tokens.read(placeOf(query));
  const entry = parseEntry(text);
  return entry?.generation === generation ? entry : undefined;
}

/** Returns the cached entry if it belongs to the query's credentials and auth URL. */
export function ownEntry(
  query: OwnerQuery & PlaceQuery,
  world: QuickWorld,
  entry = readEntry(query, world),
): CacheEntry | undefined {
  if (entry === undefined || !isFor(entry, query, world)) return undefined;
  if (entry.kind !== 'keychain') return entry;
  // A login with another cache directory does not begin a new generation in this directory.
  const stored = storedClient(query.client, world);
  return stored === undefined || stored.clientId === entry.clientId ? entry : undefined;
}

/** Returns the client ID and auth URL of a stored client; undefined if the list cannot be read. */
export function storedClient(client: Client, { clients }: QuickWorld): StoredClient | undefined {
  return orUndefined(() => clients.read()[clientName(client)]);
}
