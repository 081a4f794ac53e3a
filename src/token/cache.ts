/** The cached token: returned only to its owner; an entry that cannot be read is a miss, never an error. */
import { type Client, clientName } from '../client';
import { orUndefined } from '../errors';
import { VSCHAR } from '../text';
import type { KnownEntry, QuickWorld, World } from '../world';
import type { Query, TokenAnswer } from './query';
import { isFresh, LIFETIME_LIMIT_S, secondsLeft, type Token } from './token';

/** Whose a cached token or a remembered failure is. */
export interface Owner {
  readonly authUrl: string;
  readonly kind: string;
  /** Salt and HMAC of the source's identity; the keychain has none, and a login begins another generation. */
  readonly salt: string;
  readonly hmac: string;
  /** The client's generation when its credentials were looked up; a login or logout begins another one. */
  readonly generation: string;
}

export interface CacheEntry extends Owner {
  readonly clientId: string;
  readonly token: Token & { readonly lifetimeS: number };
}

type Hash = Pick<World, 'sha256'>;
type OwnQuery = Pick<Query, 'source'> & { readonly authUrl: Pick<Query['authUrl'], 'value'> };

export function ownerOf({ authUrl, source }: OwnQuery, generation: string, world: Hash): Owner {
  const { kind, identity } = source;
  return { authUrl: authUrl.value, kind, ...saltedHmac(identity, world), generation };
}

/** Returns a salt and the HMAC of a text that may contain a secret; the same one again for the same salt. */
export function saltedHmac(
  text: string,
  { sha256 }: Hash,
  salt = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex'),
): Pick<Owner, 'salt' | 'hmac'> {
  return { salt, hmac: text === '' ? '' : sha256(text, Buffer.from(salt)) };
}

/** Tells if an entry or a failure is for the query's credentials and auth URL. */
export function isFor({ authUrl, kind, salt, hmac }: Owner, query: OwnQuery, world: Hash): boolean {
  if (authUrl !== query.authUrl.value || kind !== query.source.kind) return false;
  return hmac === saltedHmac(query.source.identity, world, salt).hmac;
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

const VERSION = 2;
type Shape<T> = Readonly<Record<keyof T, 'string' | 'number' | 'object'>>;
const ENTRY: Shape<CacheEntry> = {
  authUrl: 'string',
  kind: 'string',
  salt: 'string',
  hmac: 'string',
  generation: 'string',
  clientId: 'string',
  token: 'object',
};
const TOKEN: Shape<Token> = {
  accessToken: 'string',
  tokenType: 'string',
  scope: 'string',
  requestedAtMs: 'number',
  lifetimeS: 'number',
};

export function formatEntry(entry: CacheEntry): string {
  return `${JSON.stringify({ version: VERSION, ...entry })}\n`;
}

/** Reads an entry; returns undefined for any text that {@link formatEntry} did not write. */
export function parseEntry(text: string): CacheEntry | undefined {
  const entry = parseObject(text);
  if (entry['version'] !== VERSION || !hasShape(entry, ENTRY) || !hasShape(entry.token, TOKEN))
    return undefined;
  const { accessToken, lifetimeS } = entry.token;
  const isToken = accessToken !== '' && VSCHAR.test(accessToken) && lifetimeS <= LIFETIME_LIMIT_S;
  return isToken ? entry : undefined;
}

function hasShape<T>(value: unknown, shape: Shape<T>): value is T {
  const fields = Object.entries<string>(shape);
  return fields.every(([name, type]) => typeof (value as Record<string, unknown> | null)?.[name] === type);
}

/** Reads a JSON object; returns an empty one if the text is not JSON. */
export function parseObject(text: string): Record<string, unknown> {
  return orUndefined(() => JSON.parse(text)) ?? {};
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
  if (entry.kind !== 'keychain') return entry;
  // A login changes the generation too, but not with another cache directory.
  const known = knownClient(query.client, world);
  return known === undefined || known.clientId === entry.clientId ? entry : undefined;
}

/** Returns the client ID and auth URL of a stored client; undefined also if the list cannot be read. */
export function knownClient(
  client: Client,
  { clients }: Pick<QuickWorld, 'clients'>,
): KnownEntry | undefined {
  return orUndefined(() => clients.read()[clientName(client)]);
}
