/** From a query to a valid token: cache, the client's lock, cache again, then credentials and the request. */

import { type Client, clientName } from '../client';
import type { Credentials, LoadWorld } from '../credentials/credentials';
import { GwtokenError, messageOf } from '../errors';
import { duration } from '../text';
import type { KnownEntry, QuickWorld, World } from '../world';
import {
  type CacheEntry,
  formatEntry,
  knownClient,
  lifeLeftMs,
  lookInCache,
  ownEntry,
  ownerOf,
} from './cache';
import { fetchToken, type RequestWorld } from './fetch';
import { minTtlProblem, type Query, type TokenAnswer } from './query';
import { lastRefusal, leaveFailure, shareRequest } from './share';
import { isDemand } from './token';

export type EndpointWorld = LoadWorld & RequestWorld & Pick<World, 'clients'>;

export type TokenWorld = QuickWorld & EndpointWorld & Pick<World, 'tokens' | 'terminal' | 'warn'>;

/** Returns a valid token, from the cache or by a request under a spinner. Throws all but `local` errors. */
export async function getToken(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  // A credential command may prompt on the same terminal.
  if (query.source.kind === 'command') return answerTo(query, world);
  const label = 'requesting a token';
  return world.terminal.spin(label, (relabel) => {
    const onRetry = (attempt: number): void => relabel(`${label} (attempt ${attempt} of ${query.attempts})`);
    return answerTo({ ...query, onRetry }, world);
  });
}

/** Returns a new token while a command has the terminal: without a spinner, in one attempt. */
export async function renewToken(query: Query, world: TokenWorld, signal: AbortSignal): Promise<TokenAnswer> {
  return answerTo({ ...query, fresh: true, attempts: 1, signal }, world);
}

async function answerTo(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  const answer = query.useCache ? await getCachedOrNew(query, world) : await fetchNew(query, world);
  const problem = minTtlProblem(answer.token, query, world.now());
  if (problem) throw problem;
  return answer;
}

async function getCachedOrNew(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  const { untrusted } = world.tokens.read(query.client);
  if (untrusted !== undefined) world.warn(`token cache ignored: ${untrusted}`);
  const cached = lookInCache(query, world);
  if (cached) return cached;
  try {
    const look = (): TokenAnswer | undefined => lookAgain(query, world);
    return await shareRequest(query, world, look, (limitMs) => fetchAndCache({ ...query, limitMs }, world));
  } catch (error) {
    const old = stillValid(query, error, world);
    if (old) return old;
    throw error;
  }
}

/** Looks into the cache again, for a token of another process. The first miss was traced already. */
function lookAgain(query: Query, world: TokenWorld): TokenAnswer | undefined {
  const lines: string[] = [];
  const answer = lookInCache(query, { ...world, trace: (line) => lines.push(line) });
  if (answer !== undefined) for (const line of lines) world.trace(line);
  return answer;
}

async function fetchAndCache(query: Query, world: TokenWorld): Promise<TokenAnswer> {
  // Read before the credentials: if a login replaces them meanwhile, their token is of the old generation.
  const { generation = '' } = world.tokens.read(query.client);
  let sent: Credentials | undefined;
  let refusal: GwtokenError | undefined;
  let answer: TokenAnswer;
  try {
    answer = await fetchNew(query, world, (credentials) => {
      refusal = lastRefusal(credentials, query, world);
      if (refusal) throw refusal;
      sent = credentials;
    });
  } catch (error) {
    if (error !== refusal) await leaveFailure(error, { query, generation, sent }, world);
    throw error;
  }
  const { token, clientId } = answer;
  const { lifetimeS } = token;
  // Without expires_in nobody knows how long it may be used.
  if (lifetimeS === undefined) return answer;
  const owner = ownerOf(query, generation, world);
  await store({ ...owner, clientId, token: { ...token, lifetimeS } }, query, world);
  return answer;
}

/** Caches a token, unless a login or logout came after its credentials, or a newer one is there. */
async function store(entry: CacheEntry, query: Query, world: TokenWorld): Promise<void> {
  const { tokens, trace } = world;
  const { client } = query;
  const isPast = (): boolean => (tokens.read(client).generation ?? '') !== entry.generation;
  // While this process was suspended, another may have cached a newer token, which stays. One dated in the
  // future does not count: the clock was set back.
  const there = ownEntry(query, world);
  const isNewer =
    there && there.token.requestedAtMs > entry.token.requestedAtMs && lifeLeftMs(there, world.now()) > 0;
  const problem = isPast() || isNewer ? undefined : await tokens.write(client, formatEntry(entry));
  if (problem !== undefined) trace(`cache: cannot write the token (${problem})`);
  if (isPast()) {
    trace('cache: the token is not stored, because of a login or logout in the meantime');
    await tokens.remove((each) => clientName(each) === clientName(client));
  }
}

/**
 * Fetches a token without the cache. Its limit is for the request: a keychain and a command have their own.
 *
 * @param check called with the credentials, before they are sent
 */
export async function fetchNew(
  query: Query,
  world: EndpointWorld,
  check = (_: Credentials): void => {},
): Promise<TokenAnswer> {
  const { client, authUrl, source, signal } = query;
  const credentials = await source.load(authUrl, world, signal);
  world.trace(`credentials from ${source.name}`);
  check(credentials);
  const { clientId } = credentials;
  if (source.kind === 'keychain') await mendKnown(client, { clientId, authUrl: authUrl.value }, world);
  const token = await fetchToken(query, credentials, world);
  return { from: 'network', token, clientId, query };
}

/** Corrects the list of stored clients if another tool, or a killed login, changed only the keychain. */
async function mendKnown(client: Client, entry: KnownEntry, world: EndpointWorld): Promise<void> {
  const { clients, trace } = world;
  const known = knownClient(client, world);
  if (known === undefined || known.clientId === entry.clientId) return;
  trace('the keychain has another client ID than the list of stored clients, which is corrected');
  await clients.add(clientName(client), entry).catch((error) => trace(messageOf(error)));
}

/** Returns the cached token if the endpoint fails, unless a min-ttl demands more than it has left. */
function stillValid(query: Query, error: unknown, world: TokenWorld): TokenAnswer | undefined {
  const entry = query.fresh ? undefined : servesMeanwhile(query, error, world);
  if (entry === undefined || !(error instanceof GwtokenError)) return undefined;
  const leftS = Math.floor(lifeLeftMs(entry, world.now()) / 1000);
  if (isDemand(query.minTtl))
    throw error.withHints([`the cached token is valid for ${duration(leftS * 1000)} more: use --min-ttl 1s`]);
  world.warn(`${error.message}; using the cached token (${leftS} s left)`);
  return { from: 'cache', token: entry.token, clientId: entry.clientId, query };
}

/** Returns the cached token that serves while the endpoint is down: one that has 10 s left or more. */
export function servesMeanwhile(query: Query, error: unknown, world: QuickWorld): CacheEntry | undefined {
  const isDown = error instanceof GwtokenError && (error.kind === 'unreached' || error.kind === 'bad-reply');
  const entry = isDown ? ownEntry(query, world) : undefined;
  return entry && lifeLeftMs(entry, world.now()) >= 10_000 ? entry : undefined;
}
