/**
 * From settings to a valid token: the sentence that the whole program exists for. Look into the cache, take the
 * client's turn, look again, and only then the credentials, the request, the cache.
 */

import { type Client, clientName } from '../client';
import { findCredentials } from '../credentials/find';
import { GwtokenError } from '../errors';
import { resolveClient } from '../settings/resolve';
import type { Given } from '../settings/setting';
import { describeSettings } from '../settings/words';
import type { WarmWorld, World } from '../world/world';
import { fromCache, lookUp, ownEntry } from './cache';
import { formatEntry, isAgeing, lifeLeftMs, sourceOf } from './cache-entry';
import { fetchToken } from './fetch';
import {
  demandsMinTtl,
  minTtlProblem,
  resolveQuery,
  type TokenAnswer,
  type TokenQuery,
  wantsFresh,
} from './query';
import { inTurn } from './single-flight';

/** What a new token takes; a cached one takes less. */
type EndpointWorld = Parameters<typeof findCredentials>[1] &
  Parameters<typeof fetchToken>[2] &
  Pick<World, 'clients' | 'warmUp'>;

type TokenWorld = WarmWorld & EndpointWorld & Pick<World, 'tokens' | 'terminal' | 'checkCaFile' | 'warn'>;

/**
 * Gives a valid token for the client that the settings name.
 *
 * @throws GwtokenError of any kind but `local`
 */
export async function getToken(given: Given, world: TokenWorld): Promise<TokenAnswer> {
  const clientSettings = resolveClient(given);
  const query = resolveQuery(given, clientSettings, world);
  for (const line of describeSettings(clientSettings, query.authUrl, query.settings)) world.trace(line);
  const work = async (): Promise<TokenAnswer> =>
    query.settings.cache.value ? shared(query, world) : fetchNew(query, world);
  // A credential command may be asking the person something on the same terminal.
  const answer = await (query.plan.kind === 'command'
    ? work()
    : world.terminal.spin('asking for a token', work));
  const problem = minTtlProblem(answer.token, query.settings, world.now());
  if (problem) throw problem;
  return answer;
}

/** The cached token, or one request however many processes ask for it. */
async function shared(query: TokenQuery, world: TokenWorld): Promise<TokenAnswer> {
  const { untrusted } = world.tokens.read(query.client);
  if (untrusted !== undefined) world.warn(`the token cache is not used: ${untrusted}`);
  const look = () => lookUp(query, world);
  const cached = look();
  if (cached) return cached;
  // What would be refused later is refused before a folder and a lock are made for it.
  if (query.settings.caFile) await world.checkCaFile(query.settings.caFile.value);
  try {
    return await inTurn(query, world, { look, fetch: () => fetchAndKeep(query, world) });
  } catch (error) {
    const still = stillValid(query, error, world);
    if (still) return still;
    throw error;
  }
}

/** A new token, with the credentials that the plan leads to. */
export async function fetchNew(query: TokenQuery, world: EndpointWorld): Promise<TokenAnswer> {
  const { client, authUrl, settings, plan } = query;
  if (plan.kind !== 'variables') {
    const isOwn = plan.kind === 'keychain' && isBoundTo(authUrl.value, client, world);
    world.warmUp(isOwn ? authUrl.value : undefined, { caFile: settings.caFile?.value, trace: world.trace });
  }
  const beganAtMs = world.now();
  const credentials = await findCredentials(query, world);
  // The keychain and the command have a limit of their own: a person who unlocks one does not use up the endpoint's.
  const deadlineMs = query.deadlineMs + world.now() - beganAtMs;
  const token = await fetchToken({ ...query, deadlineMs }, credentials, world);
  return { token, client, authUrl: authUrl.value, clientId: credentials.clientId, from: 'network' };
}

/**
 * Whether the client that gwtoken stored belongs to this address, as far as the list of known clients tells. Only then
 * is the connection made while the keychain is still being read: a stray auth URL gets not even that.
 */
function isBoundTo(authUrl: string, client: Client, { clients }: Pick<World, 'clients'>): boolean {
  try {
    return clients.read()[clientName(client)]?.authUrl === authUrl;
  } catch {
    // Unreadable, it costs the head start alone.
    return false;
  }
}

/** A new token, kept for the others if it can be. */
async function fetchAndKeep(
  query: TokenQuery,
  world: TokenWorld,
): Promise<{ answer: TokenAnswer; isShared: boolean }> {
  const previous = ownEntry(query, world)?.token;
  const answer = await fetchNew(query, world);
  const { token, clientId } = answer;
  const { lifetimeS } = token;
  // Without expires_in nobody knows how long it may be used, so it is printed but not kept.
  if (lifetimeS === undefined) return { answer, isShared: false };
  const problem = await world.tokens.write(
    query.client,
    formatEntry({
      token: { ...token, lifetimeS },
      clientId,
      authUrl: query.authUrl.value,
      source: sourceOf(query.plan, world),
      ageing: isAgeing(previous, token),
    }),
  );
  if (problem !== undefined) world.trace(`cache: the token cannot be kept (${problem})`);
  return { answer, isShared: problem === undefined };
}

/** When the endpoint is down, a cached token with 10 s or more left is better than none, unless a flag forbids it. */
function stillValid(query: TokenQuery, error: unknown, world: TokenWorld): TokenAnswer | undefined {
  if (!(error instanceof GwtokenError) || (error.kind !== 'unreached' && error.kind !== 'bad-reply'))
    return undefined;
  if (wantsFresh(query) || demandsMinTtl(query.settings)) return undefined;
  const entry = ownEntry(query, world);
  const left = entry === undefined ? 0 : Math.floor(lifeLeftMs(entry, world.now()) / 1000);
  if (entry === undefined || left < 10) return undefined;
  world.warn(`${error.message}; the cached token, valid for ${left} s more, is used`);
  return fromCache(entry, query);
}
