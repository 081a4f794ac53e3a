/** The look into the cache; with what it imports it is all that a warm run needs. */

import { type Client, clientName } from '../client';
import type { KnownEntry } from '../world/files';
import type { WarmWorld } from '../world/world';
import { type CacheEntry, isFor, isUsable, parseEntry } from './cache-entry';
import { type TokenAnswer, type TokenQuery, wantsFresh } from './query';
import { secondsLeft } from './token';

/**
 * The cached token, if it is this client's and valid for long enough.
 *
 * @param entry what is cached for the client
 */
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
  if (wantsFresh(query) && own.token.requestedAtMs <= query.startedAtMs) return undefined;
  const leftS = secondsLeft(own.token, world.now());
  if (isUsable(own, query, world.now())) {
    world.trace(`cache: using a token with ${leftS} s left`);
    return answerFrom(own, query);
  }
  world.trace(`cache: the token has only ${leftS} s left`);
  return undefined;
}

/** An entry's token as the answer to a query. */
export function answerFrom({ token, clientId }: CacheEntry, { client, authUrl }: TokenQuery): TokenAnswer {
  return { token, client, authUrl: authUrl.value, clientId, from: 'cache' };
}

/** What is cached for a client since its last login or logout, whatever credentials and auth URL it is for. */
export function readEntry(client: Client, { tokens }: Pick<WarmWorld, 'tokens'>): CacheEntry | undefined {
  const { text, generation } = tokens.read(client);
  const entry = text === undefined ? undefined : parseEntry(text);
  return entry?.generation === generation ? entry : undefined;
}

/** The client's entry, if it is for these credentials and this auth URL. */
export function ownEntry(
  query: TokenQuery,
  world: WarmWorld,
  entry = readEntry(query.client, world),
): CacheEntry | undefined {
  const isOwn = entry !== undefined && isFor(entry, query, world) && !isOfClientBefore(entry, query, world);
  return isOwn ? entry : undefined;
}

/**
 * Whether the credentials that the entry was fetched with have been replaced by a login. The generation tells that too,
 * but a login with another cache directory, or one that could not write to this one, left this generation as it was.
 */
function isOfClientBefore(
  { clientId, source }: CacheEntry,
  { client }: TokenQuery,
  world: WarmWorld,
): boolean {
  return source.kind === 'keychain' && (knownClient(client, world)?.clientId ?? clientId) !== clientId;
}

/** The client ID and auth URL of a stored client. If the list of them cannot be read, that is no reason to fail. */
export function knownClient(client: Client, { clients }: Pick<WarmWorld, 'clients'>): KnownEntry | undefined {
  try {
    return clients.read()[clientName(client)];
  } catch {
    return undefined;
  }
}
