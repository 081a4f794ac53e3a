/** The look into the cache; with what it imports it is all that a warm run needs. */

import type { Client } from '../client';
import type { WarmWorld } from '../world/world';
import { type CacheEntry, isSame, isUsable, parseEntry } from './cache-entry';
import { type Ask, type Obtained, wantsFresh } from './query';
import { secondsLeft } from './token';

/** The cached token, if it is this client's and good enough. */
export function lookUp(
  ask: Ask,
  world: WarmWorld,
  stored = storedEntry(ask.client, world),
): Obtained | undefined {
  const entry = ownEntry(ask, world, stored);
  if (entry === undefined || (wantsFresh(ask) && entry.token.requestedAtMs <= ask.startedAtMs))
    return undefined;
  const usable = isUsable(entry, ask, world.now());
  world.trace(
    `cache: a token with ${secondsLeft(entry.token, world.now())} s left${usable ? '' : ', which is too little'}`,
  );
  return usable ? fromCache(entry, ask) : undefined;
}

/** An entry's token as what was asked for. */
export function fromCache({ token }: CacheEntry, { client, authUrl }: Ask): Obtained {
  return { token, client, authUrl: authUrl.value, from: 'cache' };
}

/** What is kept for a client, whatever credentials and address it is of. */
export function storedEntry(client: Client, { tokens }: Pick<WarmWorld, 'tokens'>): CacheEntry | undefined {
  const { text } = tokens.read(client);
  return text === undefined ? undefined : parseEntry(text);
}

/** The client's entry, if it is of these credentials and this address. */
export function ownEntry(
  { client, authUrl, wanted }: Ask,
  world: WarmWorld,
  entry = storedEntry(client, world),
): CacheEntry | undefined {
  if (entry !== undefined && isSame(entry, authUrl.value, wanted, world)) return entry;
  world.trace(
    `cache: ${entry === undefined ? 'no token' : 'a token of other credentials or another address'}`,
  );
  return undefined;
}
