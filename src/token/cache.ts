/** The look into the cache; with what it imports it is all that a warm run needs. */

import type { Client } from '../client';
import type { WarmWorld } from '../world/world';
import { type CacheEntry, isSame, isUsable, parseEntry } from './cache-entry';
import { type TokenAnswer, type TokenQuery, wantsFresh } from './query';
import { secondsLeft } from './token';

/** The cached token, if it is this client's and good enough. */
export function lookUp(
  query: TokenQuery,
  world: WarmWorld,
  stored = storedEntry(query.client, world),
): TokenAnswer | undefined {
  const entry = ownEntry(query, world, stored);
  if (entry === undefined || (wantsFresh(query) && entry.token.requestedAtMs <= query.startedAtMs))
    return undefined;
  const usable = isUsable(entry, query, world.now());
  world.trace(
    `cache: a token with ${secondsLeft(entry.token, world.now())} s left${usable ? '' : ', which is too little'}`,
  );
  return usable ? fromCache(entry, query) : undefined;
}

/** An entry's token as what was asked for. */
export function fromCache({ token, clientId }: CacheEntry, { client, authUrl }: TokenQuery): TokenAnswer {
  return { token, client, authUrl: authUrl.value, clientId, from: 'cache' };
}

/** What is kept for a client, whatever credentials and address it is of. */
export function storedEntry(client: Client, { tokens }: Pick<WarmWorld, 'tokens'>): CacheEntry | undefined {
  const { text } = tokens.read(client);
  return text === undefined ? undefined : parseEntry(text);
}

/** The client's entry, if it is of these credentials and this address. */
export function ownEntry(
  query: TokenQuery,
  world: WarmWorld,
  entry = storedEntry(query.client, world),
): CacheEntry | undefined {
  if (entry !== undefined && isSame(entry, query, world)) return entry;
  world.trace(
    `cache: ${entry === undefined ? 'no token' : 'a token of other credentials or another address'}`,
  );
  return undefined;
}
