/** The look into the cache; with what it imports it is all that a warm run needs. */

import { type Client, clientName } from '../client';
import type { KnownEntry } from '../world/files';
import type { WarmWorld } from '../world/world';
import { type CacheEntry, isFor, isUsable, parseEntry } from './cache-entry';
import { type TokenAnswer, type TokenQuery, wantsFresh } from './query';
import { secondsLeft } from './token';

/**
 * The cached token, if it is this client's and good enough.
 *
 * @param entry what is in the cache for the client
 */
export function lookInCache(
  query: TokenQuery,
  world: WarmWorld,
  entry = readEntry(query.client, world),
): TokenAnswer | undefined {
  const own = ownEntry(query, world, entry);
  if (own === undefined || (wantsFresh(query) && own.token.requestedAtMs <= query.startedAtMs))
    return undefined;
  const usable = isUsable(own, query, world.now());
  world.trace(
    `cache: a token with ${secondsLeft(own.token, world.now())} s left${usable ? '' : ', which is too little'}`,
  );
  return usable ? answerFrom(own, query) : undefined;
}

/** An entry's token as the answer to a query. */
export function answerFrom({ token, clientId }: CacheEntry, { client, authUrl }: TokenQuery): TokenAnswer {
  return { token, client, authUrl: authUrl.value, clientId, from: 'cache' };
}

/** What is in the cache for a client since its last login or logout, whatever credentials and address it is of. */
export function readEntry(client: Client, { tokens }: Pick<WarmWorld, 'tokens'>): CacheEntry | undefined {
  const { text, generation } = tokens.read(client);
  const entry = text === undefined ? undefined : parseEntry(text);
  return entry?.generation === generation ? entry : undefined;
}

/** The client's entry, if it is of these credentials and this address. */
export function ownEntry(
  query: TokenQuery,
  world: WarmWorld,
  entry = readEntry(query.client, world),
): CacheEntry | undefined {
  if (entry !== undefined && isFor(entry, query, world) && !isOfClientBefore(entry, query, world))
    return entry;
  world.trace(
    `cache: ${entry === undefined ? 'no token' : 'a token of other credentials or another address'}`,
  );
  return undefined;
}

/**
 * Whether the credentials that the entry was fetched with have been replaced by a login. The generation tells that too,
 * but a login with another cache folder, or one that could not write to this one, has left this generation as it was.
 */
function isOfClientBefore(
  { clientId, source }: CacheEntry,
  { client }: TokenQuery,
  world: WarmWorld,
): boolean {
  return source.kind === 'keychain' && (knownClient(client, world)?.clientId ?? clientId) !== clientId;
}

/** What is kept of the client that gwtoken stored. An unreadable list of them is no reason to fail. */
export function knownClient(client: Client, { clients }: Pick<WarmWorld, 'clients'>): KnownEntry | undefined {
  try {
    return clients.read()[clientName(client)];
  } catch {
    return undefined;
  }
}
