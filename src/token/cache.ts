/** The cached token. It is returned only to its owner, and an unreadable entry is a miss, never an error. */
import { clientName } from '../client';
import type { CredentialSource } from '../credentials/sources';
import { orUndefined } from '../errors';
import { VSCHAR } from '../text';
import type { CachePlace, QuickWorld } from '../world';
import type { Query, TokenAnswer } from './query';
import { isFresh, LIFETIME_LIMIT_S, type Token } from './token';

/** Template of the owner of a token or failure: parseLike() accepts JSON with these fields and types. */
export const OWNER = {
  authUrl: '',
  kind: '',
  /** Salt of all HMACs in an entry or failure. */
  salt: '',
  /** HMAC of the source's identity; empty for the keychain. */
  hmac: '',
  /** For the keychain, the login that stored the credentials. */
  loginId: '',
};
export type Owner = Readonly<typeof OWNER>;

const TOKEN = { accessToken: '', tokenType: '', scope: '', requestedAtMs: 0, lifetimeS: 0 };
const ENTRY = { ...OWNER, clientId: '', token: TOKEN satisfies Token };
export type CacheEntry = Readonly<typeof ENTRY>;

type OwnerQuery = Pick<Query, 'client' | 'source'> & { readonly authUrl: Pick<Query['authUrl'], 'value'> };
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

type OwnerWorld = Pick<QuickWorld, 'hmac' | 'clients'>;

/** Returns the owner of a query's token or failure. */
export function ownerOf(query: OwnerQuery, salt: string, { hmac, clients }: OwnerWorld): Owner {
  const { client, authUrl, source } = query;
  const { kind, identity } = source;
  return {
    authUrl: authUrl.value,
    kind,
    salt,
    hmac: identity === '' ? '' : hmac(identity, Buffer.from(salt)),
    // An unreadable list has no entry.
    loginId:
      kind === 'keychain' ? (orUndefined(() => clients.read()[clientName(client)]?.loginId) ?? '') : '',
  };
}

/** Returns whether an entry or failure belongs to the query's credentials and auth URL. */
export function isFor(given: Owner, query: OwnerQuery, world: OwnerWorld): boolean {
  const own = ownerOf(query, given.salt, world);
  return (['authUrl', 'kind', 'hmac', 'loginId'] as const).every((part) => given[part] === own[part]);
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

/** Returns whether a text is no token that is still valid. */
export function isExpired(text: string, nowMs: number): boolean {
  const entry = parseEntry(text);
  return entry === undefined || lifeLeftMs(entry, nowMs) === 0;
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

/** Returns the entry in a query's place, of any owner. */
export function readEntry(query: PlaceQuery, { tokens }: Pick<QuickWorld, 'tokens'>): CacheEntry | undefined {
  return parseEntry(tokens.read(placeOf(query)).text ?? '');
}

/** Returns the cached entry if it belongs to the query's credentials and auth URL. */
export function ownEntry(
  query: OwnerQuery & PlaceQuery,
  world: QuickWorld,
  entry = readEntry(query, world),
): CacheEntry | undefined {
  return entry && isFor(entry, query, world) ? entry : undefined;
}
