/** From a query to a valid token: cache, the key's lock, cache again, then credentials and the request. */
import { withMistakes } from '../credentials/copy-mistakes';
import type { LoadWorld } from '../credentials/source';
import { withoutCredentials } from '../credentials/sources';
import { GwtokenError } from '../errors';
import type { HeldLock } from '../lock';
import { warn } from '../note';
import type { CacheKind, World } from '../world';
import { type CacheWorld, cachedEntry, formatEntry, isExpired, lifeLeftMs, lookInCache } from './cache';
import { fetchToken, type RequestWorld } from './fetch';
import { storedKey } from './key';
import { formatFailure, isForgotten, isShareable, lastFailure } from './last-failure';
import type { Query, TokenAnswer } from './query';
import { shareRequest } from './share';
import { isDemand, minTtlProblem } from './token';

type TokenWorld = CacheWorld & LoadWorld & RequestWorld & Pick<World, 'tokens' | 'uniqueName' | 'readFile'>;

export async function getToken(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  const answer = query.useCache ? await getCachedOrNew(query, world) : await fetchNew(query, world);
  const problem = minTtlProblem(answer.token, query.minTtl, world.now());
  if (problem) throw problem;
  return answer;
}

async function getCachedOrNew(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  const { untrusted } = world.tokens.read(query.key);
  if (untrusted !== undefined) warn(world, `token cache ignored: ${untrusted}`);
  const cached = lookInCache(query, world);
  if (cached) return cached;
  try {
    return await shareRequest(query, world, {
      findOutcome: () => findOutcome(query, world),
      fetch: (limitMs, lock) => fetchAndStore({ ...query, limitMs }, world, lock),
    });
  } catch (error) {
    return cachedDespite(error, query, world);
  }
}

/** Returns the cached token that another process has stored meanwhile. Throws its failure if that counts. */
function findOutcome(query: Query, world: TokenWorld): TokenAnswer | undefined {
  // Without a trace, because --verbose has reported the cache already.
  const cached = lookInCache(query, { ...world, trace() {} });
  const failed = cached ? undefined : lastFailure(query, world);
  if (failed) throw failed;
  return cached;
}

/** Lifetime that a cached token must have left to replace a new one while the endpoint is down. */
export const LEAST_DURING_OUTAGE_MS = 10_000;

/** Returns the cached token with a warning if the endpoint is down and it may replace a new one. */
function cachedDespite(error: unknown, query: Query, world: TokenWorld): TokenAnswer {
  const isOutage = error instanceof GwtokenError && ['unreached', 'bad-reply'].includes(error.kind);
  if (!isOutage || query.freshOnly || isDemand(query.minTtl)) throw error;
  const entry = cachedEntry(query.key, world);
  const leftMs = entry ? lifeLeftMs(entry, world.now()) : 0;
  if (!entry || leftMs < LEAST_DURING_OUTAGE_MS) throw error;
  warn(world, `${error.message}; using the cached token (${Math.floor(leftMs / 1000)} s left)`);
  return { ...entry, query, from: 'cache' };
}

const IS_OVER = { token: isExpired, failure: isForgotten };

/** Requests a token and stores the outcome under its key: the token, or a failure that others share. */
async function fetchAndStore(query: Query, world: TokenWorld, lock?: HeldLock): Promise<TokenAnswer> {
  const key = storedKey(query.key, world.uniqueName(), world);
  const { tokens, trace, now } = world;
  /** Stores an outcome, unless a login or logout has removed the lock meanwhile. Sweeps what is over. */
  const store = async (kind: CacheKind, text: string): Promise<void> => {
    const problem = await tokens.write(query.key, text, kind, lock);
    if (problem !== undefined) trace(`cache: cannot write the ${kind} (${problem})`);
    else await tokens.sweep((each, kindOfEach) => IS_OVER[kindOfEach](each, now()));
  };
  try {
    const answer = await fetchNew(query, world);
    const { token, clientId, authUrl } = answer;
    const { lifetimeS } = token;
    // A token of unknown lifetime is not cached.
    if (lifetimeS !== undefined)
      await store('token', formatEntry({ key, clientId, authUrl, token: { ...token, lifetimeS } }));
    return answer;
  } catch (error) {
    if (error instanceof GwtokenError && isShareable(error))
      await store('failure', formatFailure(error, key, world.now()));
    throw error;
  }
}

/** Loads the credentials and fetches a token. The query's limit is for the request only. */
async function fetchNew(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  // A source's child process gets no other source's credentials.
  const loadWorld = { ...world, env: withoutCredentials(world.env) };
  const credentials = await query.source.load(loadWorld, query.signal);
  world.trace(`credentials from ${query.source.name}`);
  const { clientId, authUrl } = credentials;
  const token = await fetchToken(query, credentials, world).catch((error) => {
    throw withMistakes(error, credentials, world);
  });
  return { from: 'network', token, clientId, authUrl, query };
}
