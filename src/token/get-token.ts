/** From a query to a valid token: cache, the client's lock, cache again, then credentials and the request. */

import { clientName } from '../client';
import { findCredentials } from '../credentials/find';
import { GwtokenError } from '../errors';
import type { WarmWorld, World } from '../world';
import {
  answerFrom,
  formatEntry,
  isNotRenewed,
  knownClient,
  lifeLeftMs,
  lookInCache,
  ownEntry,
  ownerOf,
} from './cache';
import { fetchToken } from './fetch';
import { demandsMinTtl, minTtlProblem, type TokenAnswer, type TokenQuery } from './query';
import { shareRequest } from './single-flight';

type EndpointWorld = Parameters<typeof findCredentials>[1] &
  Parameters<typeof fetchToken>[2] &
  Pick<World, 'clients' | 'warmUp'>;

export type TokenWorld = WarmWorld & EndpointWorld & Pick<World, 'tokens' | 'terminal' | 'warn'>;

/** Returns a valid token, from the cache or by a request under a spinner. Throws any kind but `local`. */
export async function getToken(query: TokenQuery, world: TokenWorld): Promise<TokenAnswer> {
  // A credential command may prompt on the same terminal.
  if (query.plan.kind === 'command') return answerTo(query, world);
  const label = 'requesting a token';
  return world.terminal.spin(label, (relabel) => {
    const onRetry = (attempt: number): void => relabel(`${label} (attempt ${attempt} of ${query.attempts})`);
    return answerTo({ ...query, onRetry }, world);
  });
}

/** Returns a new token while a command has the terminal: without a spinner, in one attempt. */
export async function renewToken(
  query: TokenQuery,
  world: TokenWorld,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  return answerTo({ ...query, fresh: true, attempts: 1, signal }, world);
}

async function answerTo(query: TokenQuery, world: TokenWorld): Promise<TokenAnswer> {
  const { settings } = query;
  const answer = settings.cache.value ? await getCachedOrNew(query, world) : await fetchNew(query, world);
  const problem = minTtlProblem(answer.token, settings, world.now());
  if (problem) throw problem;
  return answer;
}

async function getCachedOrNew(query: TokenQuery, world: TokenWorld): Promise<TokenAnswer> {
  const { untrusted } = world.tokens.read(query.client);
  if (untrusted !== undefined) world.warn(`token cache ignored: ${untrusted}`);
  const cached = lookInCache(query, world);
  if (cached) return cached;
  try {
    return await shareRequest(query, world, {
      look: () => lookAgain(query, world),
      fetch: () => fetchAndCache(query, world),
    });
  } catch (error) {
    const old = stillValid(query, error, world);
    if (old) return old;
    throw error;
  }
}

/** Looks into the cache again, for a token of another process. The first miss was traced already. */
function lookAgain(query: TokenQuery, world: TokenWorld): TokenAnswer | undefined {
  const lines: string[] = [];
  const answer = lookInCache(query, { ...world, trace: (line) => lines.push(line) });
  if (answer !== undefined) for (const line of lines) world.trace(line);
  return answer;
}

async function fetchAndCache(
  query: TokenQuery,
  world: TokenWorld,
): Promise<{ answer: TokenAnswer; isCached: boolean }> {
  // Read before the credentials are: those that a login replaces meanwhile belong to this generation.
  const { generation = '' } = world.tokens.read(query.client);
  const previous = ownEntry(query, world)?.token;
  const answer = await fetchNew(query, world);
  const { token, clientId } = answer;
  const { lifetimeS } = token;
  // Without expires_in nobody knows how long the token may be used.
  if (lifetimeS === undefined) return { answer, isCached: false };
  const owner = ownerOf(query, clientId, world);
  const cached = { ...token, lifetimeS };
  const text = formatEntry({
    token: cached,
    notRenewedByEndpoint: isNotRenewed(previous, cached),
    generation,
    ...owner,
  });
  const isPast = (): boolean => (world.tokens.read(query.client).generation ?? '') !== generation;
  const problem = isPast() ? undefined : await world.tokens.write(query.client, text);
  if (problem !== undefined) world.trace(`cache: cannot write the token (${problem})`);
  if (isPast()) {
    world.trace('cache: the token is not stored, because of a login or logout in the meantime');
    await world.tokens.remove((client) => clientName(client) === clientName(query.client));
  }
  return { answer, isCached: problem === undefined };
}

/** Fetches a token without the cache. */
export async function fetchNew(query: TokenQuery, world: EndpointWorld): Promise<TokenAnswer> {
  const { client, authUrl, settings, plan } = query;
  if (plan.kind !== 'variables') {
    // Only for the auth URL that login stored: a stray one does not even get a connection.
    const isKnown = plan.kind === 'keychain' && knownClient(client, world)?.authUrl === authUrl.value;
    world.warmUp(isKnown ? authUrl.value : undefined, { caFile: settings.caFile?.value, trace: world.trace });
  }
  const beganAtMs = world.now();
  const credentials = await findCredentials(query, world);
  // The keychain and the command have a timeout of their own: the time to unlock one does not count here.
  const deadlineMs = query.deadlineMs + world.now() - beganAtMs;
  const token = await fetchToken({ ...query, deadlineMs }, credentials, world);
  return answerFrom('network', { token, clientId: credentials.clientId }, query);
}

/** Returns the cached token if the endpoint is down, it lasts 10 s or more, and no setting forbids it. */
function stillValid(query: TokenQuery, error: unknown, world: TokenWorld): TokenAnswer | undefined {
  if (!(error instanceof GwtokenError) || (error.kind !== 'unreached' && error.kind !== 'bad-reply'))
    return undefined;
  if (query.fresh || demandsMinTtl(query.settings)) return undefined;
  const entry = ownEntry(query, world);
  if (entry === undefined) return undefined;
  const leftS = Math.floor(lifeLeftMs(entry, world.now()) / 1000);
  if (leftS < 10) return undefined;
  world.warn(`${error.message}; using the cached token (${leftS} s left)`);
  return answerFrom('cache', entry, query);
}
