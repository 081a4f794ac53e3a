/** From a query to a valid token: cache, the client's lock, cache again, then credentials and the request. */

import { clientName } from '../client';
import { withMistakes } from '../credentials/copy-mistakes';
import type { Credentials, LoadWorld } from '../credentials/credentials';
import { GwtokenError } from '../errors';
import { duration, warn } from '../text';
import type { HeldLock, QuickWorld, World } from '../world';
import { type CacheEntry, formatEntry, lifeLeftMs, lookInCache, ownEntry, ownerOf, placeOf } from './cache';
import { fetchToken, type RequestWorld } from './fetch';
import { minTtlProblem, type Query, type TokenAnswer } from './query';
import { lastRefusal, rethrowAndShare, shareRequest } from './share';
import { isDemand } from './token';

type TokenWorld = QuickWorld & LoadWorld & RequestWorld & Pick<World, 'tokens' | 'salt'>;

/** Returns a valid token, from the cache or by a request. */
export async function getToken(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  const answer = query.useCache
    ? await getCachedOrNew(query, world)
    : await fetchNew(query, await loadCredentials(query, world), world);
  const problem = minTtlProblem(answer.token, query, world.now());
  if (problem) throw problem;
  return answer;
}

async function getCachedOrNew(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  const { untrusted } = world.tokens.read(placeOf(query));
  if (untrusted !== undefined) warn(world, `token cache ignored: ${untrusted}`);
  const cached = lookInCache(query, world);
  if (cached) return cached;
  // Without a trace, because --verbose has reported the cache already.
  const readCache = (): TokenAnswer | undefined => lookInCache(query, { ...world, trace() {} });
  try {
    return await shareRequest(query, world, readCache, (limitMs, lock) =>
      fetchAndCache({ ...query, limitMs }, world, lock),
    );
  } catch (error) {
    return cachedDespite(error, query, world);
  }
}

/** Returns the cached token with a warning if it may replace a new one; otherwise throws the error. */
function cachedDespite(error: unknown, query: Query, world: TokenWorld): TokenAnswer {
  if (query.fresh || !(error instanceof GwtokenError)) throw error;
  const entry = entryDuringOutage(query, error, world);
  if (entry === undefined) throw error;
  const leftS = Math.floor(lifeLeftMs(entry, world.now()) / 1000);
  const hint = `the cached token is valid for ${duration(leftS * 1000)} more: use --min-ttl 1s`;
  if (isDemand(query.minTtl)) throw error.withHints([hint]);
  warn(world, `${error.message}; using the cached token (${leftS} s left)`);
  return { from: 'cache', token: entry.token, clientId: entry.clientId, query };
}

async function fetchAndCache(query: Query, world: TokenWorld, lock?: HeldLock): Promise<TokenAnswer> {
  // Made before the credentials are loaded: if a login replaces them now, their token has the old login's ID.
  const owner = ownerOf(query, world.salt(), world);
  const share = (error: unknown, sent?: Credentials) => rethrowAndShare(error, query, owner, world, sent);
  const credentials = await loadCredentials(query, world).catch((error) => share(error));
  const refusal = lastRefusal(credentials, query, world);
  if (refusal) throw withMistakes(refusal, credentials, world, query.source.valueNames);
  const answer = await fetchNew(query, credentials, world).catch((error) => share(error, credentials));
  const { token, clientId } = answer;
  const { lifetimeS } = token;
  // A token of unknown lifetime is not cached.
  if (lifetimeS !== undefined)
    await store({ ...owner, clientId, token: { ...token, lifetimeS } }, query, world, lock);
  return answer;
}

/** Caches a token. Takes it back if the lock is gone: a login or logout removes locks, then tokens. */
async function store(entry: CacheEntry, query: Query, world: TokenWorld, lock?: HeldLock): Promise<void> {
  const { tokens, trace } = world;
  const problem = await tokens.write(placeOf(query), formatEntry(entry));
  if (problem !== undefined) trace(`cache: cannot write the token (${problem})`);
  if (lock === undefined || lock.isHeld()) return;
  trace('cache: the token is removed, because there was a login or logout in the meantime');
  await tokens.remove((client) => clientName(client) === clientName(query.client));
}

async function loadCredentials(query: Query, world: TokenWorld): Promise<Credentials> {
  const credentials = await query.source.load(query, world);
  world.trace(`credentials from ${query.source.name}`);
  return credentials;
}

/** Fetches a token. The query's limit is for the request only: the keychain and a command have their own. */
async function fetchNew(query: Query, credentials: Credentials, world: TokenWorld): Promise<TokenAnswer> {
  const token = await fetchToken(query, credentials, world).catch((error) => {
    throw withMistakes(error, credentials, world, query.source.valueNames);
  });
  return { from: 'network', token, clientId: credentials.clientId, query };
}

/** Lifetime that a cached token must have left to replace a new one while the endpoint is down. */
export const LEAST_DURING_OUTAGE_MS = 10_000;

/** Returns the cached token that replaces a new one while the endpoint is down. */
export function entryDuringOutage(
  query: Query,
  { kind }: GwtokenError,
  world: QuickWorld,
): CacheEntry | undefined {
  const entry = kind === 'unreached' || kind === 'bad-reply' ? ownEntry(query, world) : undefined;
  return entry && lifeLeftMs(entry, world.now()) >= LEAST_DURING_OUTAGE_MS ? entry : undefined;
}
