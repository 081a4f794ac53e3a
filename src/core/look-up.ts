/** The look into the cache; with what it imports it is all that a warm run needs. */

import type { WarmWorld } from '../world';
import { type Ask, type Obtained, wantsFresh } from './ask';
import { type CacheEntry, isSame, isUsable, parseEntry } from './cached-token';
import { secondsLeft } from './token';

/** The cached token, if it is this client's and good enough. */
export function lookUp(ask: Ask, world: WarmWorld): Obtained | undefined {
  const entry = readEntry(ask, world);
  if (entry === undefined || (wantsFresh(ask) && entry.token.requestedAtMs < ask.startedAtMs))
    return undefined;
  const usable = isUsable(entry, world.now(), ask.settings.minTtlMs?.value);
  world.trace(
    `cache: a token with ${secondsLeft(entry.token, world.now())} s left${usable ? '' : ', which is too little'}`,
  );
  return usable ? fromCache(entry, ask) : undefined;
}

/** An entry's token as what was asked for. */
export function fromCache({ token }: CacheEntry, { client, authUrl }: Ask): Obtained {
  return { token, client, authUrl: authUrl.value, from: 'cache' };
}

/** The client's entry, if it is of these credentials and this address. */
export function readEntry({ client, authUrl, wanted }: Ask, world: WarmWorld): CacheEntry | undefined {
  const { text } = world.tokens.read(client);
  const entry = text === undefined ? undefined : parseEntry(text);
  if (entry !== undefined && isSame(entry, authUrl.value, wanted, world)) return entry;
  world.trace(
    `cache: ${entry === undefined ? 'no token' : 'a token of other credentials or another address'}`,
  );
  return undefined;
}
