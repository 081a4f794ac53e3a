/**
 * From settings to a valid token: the sentence that the whole program exists for. Look into the cache, take the
 * client's turn, look again, and only then the credentials, the request, the cache.
 */

import { type Client, clientName } from '../client';
import { findCredentials } from '../credentials/find';
import { GwtokenError } from '../errors';
import type { ClientSettings } from '../settings/resolve';
import type { Given } from '../settings/setting';
import { describeSettings } from '../settings/trace';
import type { WarmWorld, World } from '../world/world';
import { fromCache, lookUp, ownEntry } from './cache';
import { formatEntry, isAgeing, isFromFuture, sourceOf } from './cache-entry';
import { fetchToken } from './fetch';
import { type Ask, demandsMinTtl, minTtlProblem, type Obtained, resolveAsk, wantsFresh } from './query';
import { inTurn } from './single-flight';
import { secondsLeft } from './token';

type FetchWorld = WarmWorld &
  Pick<
    World,
    | 'tokens'
    | 'terminal'
    | 'clients'
    | 'runCredentialCommand'
    | 'keychain'
    | 'fetch'
    | 'warmUp'
    | 'checkCaFile'
    | 'sleep'
    | 'after'
    | 'random'
    | 'version'
    | 'warn'
    | 'stderr'
  >;

/**
 * Gives a valid token for the client that the settings name.
 *
 * @throws GwtokenError of any kind but `local`
 */
export async function getToken(
  given: Given,
  clientSettings: ClientSettings,
  world: FetchWorld,
): Promise<Obtained> {
  const ask = resolveAsk(given, clientSettings, world);
  for (const line of describeSettings(clientSettings, ask.authUrl, ask.settings)) world.trace(line);
  const work = async (): Promise<Obtained> =>
    ask.settings.cache.value ? shared(ask, world) : (await fetchNew(ask, world)).obtained;
  // A credential command may be asking the person something on the same terminal.
  const obtained = await (ask.wanted.kind === 'command'
    ? work()
    : world.terminal.spin('asking for a token', work));
  const problem = minTtlProblem(obtained.token, ask.settings, world.now());
  if (problem) throw problem;
  return obtained;
}

/** The cached token, or one request however many processes ask for it. */
async function shared(ask: Ask, world: FetchWorld): Promise<Obtained> {
  const { untrusted } = world.tokens.read(ask.client);
  if (untrusted !== undefined) world.warn(`the token cache is not used: ${untrusted}`);
  const look = () => lookUp(ask, world);
  const cached = look();
  if (cached) return cached;
  // What would be refused later is refused before a folder and a lock are made for it.
  if (ask.settings.caFile) await world.checkCaFile(ask.settings.caFile.value);
  try {
    return await inTurn(ask, world, { look, fetch: () => fetchAndKeep(ask, world) });
  } catch (error) {
    const still = stillValid(ask, error, world);
    if (still) return still;
    throw error;
  }
}

async function fetchNew(
  { given, client, authUrl, settings, wanted, deadlineMs }: Ask,
  world: FetchWorld,
): Promise<{ obtained: Obtained; clientId: string }> {
  if (wanted.kind !== 'variables') {
    const isOwn = wanted.kind === 'keychain' && isBoundTo(authUrl.value, client, world);
    world.warmUp(isOwn ? authUrl.value : undefined, { caFile: settings.caFile?.value, trace: world.trace });
  }
  const credentials = await findCredentials(wanted, given, client, authUrl, settings, world);
  const token = await fetchToken(given, client, authUrl, credentials, settings, deadlineMs, world);
  return {
    obtained: { token, client, authUrl: authUrl.value, from: 'network' },
    clientId: credentials.clientId,
  };
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
async function fetchAndKeep(ask: Ask, world: FetchWorld): Promise<{ obtained: Obtained; kept: boolean }> {
  const previous = ownEntry(ask, world)?.token;
  const { obtained, clientId } = await fetchNew(ask, world);
  const { token } = obtained;
  // Without expires_in nobody knows how long it may be used, so it is printed but not kept.
  if (token.lifetimeS === undefined) return { obtained, kept: false };
  const problem = await world.tokens.write(
    ask.client,
    formatEntry({
      token,
      clientId,
      authUrl: ask.authUrl.value,
      source: sourceOf(ask.wanted, world),
      ageing: isAgeing(previous, token),
    }),
  );
  if (problem !== undefined) world.trace(`cache: the token cannot be kept (${problem})`);
  return { obtained, kept: problem === undefined };
}

/** When the endpoint is down, a cached token with 10 s or more left is better than none, unless a flag forbids it. */
function stillValid(ask: Ask, error: unknown, world: FetchWorld): Obtained | undefined {
  if (!(error instanceof GwtokenError) || (error.kind !== 'unreached' && error.kind !== 'bad-reply'))
    return undefined;
  if (wantsFresh(ask) || demandsMinTtl(ask.settings)) return undefined;
  const entry = ownEntry(ask, world);
  const left = entry && !isFromFuture(entry, world.now()) ? (secondsLeft(entry.token, world.now()) ?? 0) : 0;
  if (entry === undefined || left < 10) return undefined;
  world.warn(`${error.message}; the cached token, valid for ${left} s more, is used`);
  return fromCache(entry, ask);
}
