/** One request for many processes: the lock holder sends it, and the waiting processes share its outcome. */
import { clientName } from '../client';
import type { Credentials } from '../credentials/credentials';
import { failure, GwtokenError, isErrorKind, type Reason } from '../errors';
import { duration, oneLine } from '../text';
import { withHeldLock } from '../waiting';
import type { CachePlace, HeldLock, World } from '../world';
import { isFor, OWNER, type Owner, parseLike, placeOf, saltedHmac } from './cache';
import type { Query, TokenAnswer } from './query';

type ShareWorld = Pick<World, 'tokens' | 'clients' | 'trace' | 'now' | 'monotonicMs' | 'hmac'>;

/** Number of waits for another process after which a process sends its own request. */
const MOST_EMPTY_WAITS = 2;

/**
 * Returns the token of one request for all processes that want it. A process sends its own request if it
 * cannot use the lock, or if its waits end without a token and without a failure.
 *
 * @param readCache returns the cached token if the query accepts it
 * @param fetch requests a token and caches it, or caches the failure; without a lock if locks do not work
 * @throws GwtokenError `unreached` if the wait takes too long; the lock holder's failure; or that of `fetch`
 */
export async function shareRequest(
  query: Query,
  world: ShareWorld,
  readCache: () => TokenAnswer | undefined,
  fetch: (limitMs: number, lock?: HeldLock) => Promise<TokenAnswer>,
): Promise<TokenAnswer> {
  const { limitMs, signal } = query;
  // The lock holder may first have to wait for its keychain or its command.
  const longestMs = limitMs + query.source.waitMs;
  const giveUpAtMs = world.monotonicMs() + longestMs;
  const leftMs = (): number => giveUpAtMs - world.monotonicMs();
  const fetchInTime = (lock?: HeldLock): Promise<TokenAnswer> => fetch(Math.min(limitMs, leftMs()), lock);
  let emptyWaits = 0;
  while (emptyWaits < MOST_EMPTY_WAITS) {
    const lock = await world.tokens.acquireLock(placeOf(query));
    if (lock === undefined) break;
    if (lock.held)
      return await withHeldLock(lock.release, signal, async () => readCache() ?? (await fetchInTime(lock)));
    world.trace('waiting for another gwtoken process to get this token');
    const end = await lock.wait(leftMs(), signal);
    if (end === 'late') throw lateError(query, longestMs);
    const shared = readCache();
    if (shared) return shared;
    const failed = holdersFailure(query, world);
    if (failed) throw failed;
    // A dead holder leaves no outcome, so this wait does not count.
    if (end === 'released') emptyWaits++;
  }
  return await fetchInTime();
}

function lateError({ client }: Query, waitedMs: number): GwtokenError {
  const what = `waited ${duration(waitedMs)} for another gwtoken process to get the token for`;
  const hint = 'raise --timeout, or use --no-cache to not wait';
  return failure('unreached', `${what} ${clientName(client)}`, hint);
}

/** Template of a stored failure: parseLike() accepts JSON with these fields and types. */
const FAILURE = {
  owner: OWNER,
  atMs: 0,
  kind: '',
  message: '',
  /** Exact cause; empty if there is none. */
  reason: '' as Reason,
  /** HMAC of the ID and secret that were refused, with the owner's salt; empty if none were. */
  refused: '',
};
type Failure = Readonly<typeof FAILURE>;

/** Time for which a refusal is repeated without a request, because identity servers lock clients out. */
const REMEMBERED_MS = 30_000;

/**
 * Rethrows the error after storing it for waiting processes; a refusal is also stored for later ones. Errors
 * caused by this process's own flags, files or proxy, and cancelled requests, are not shared.
 *
 * @param sent the credentials; undefined if nothing was sent
 */
export async function rethrowAndShare(
  error: unknown,
  query: Pick<Query, 'client' | 'authUrl' | 'source' | 'signal'>,
  owner: Owner,
  world: ShareWorld,
  sent?: Credentials,
): Promise<never> {
  if (!(error instanceof GwtokenError) || query.signal?.aborted) throw error;
  const { kind, message, reason = '', retry } = error;
  // A waiter's own request gets the next token. This holder may be a renewal, which makes only one attempt.
  if (reason === 'just-expired') throw error;
  if (kind === 'usage' || kind === 'local' || (kind === 'unreached' && !retry)) throw error;
  const refused = sent && kind === 'refused' ? hmacOf(sent, owner, world) : '';
  const failed: Failure = { owner, atMs: world.now(), kind, message, reason, refused };
  const text = `${JSON.stringify(failed)}\n`;
  await world.tokens.write(placeOf(query), text, 'failure');
  if (sent && refused) await world.tokens.write(placeOfRefusal(sent, query), text, 'failure');
  throw error;
}

/** Returns the failure that the lock holder stored after this process began; undefined if there is none. */
function holdersFailure(query: Query, world: ShareWorld): GwtokenError | undefined {
  const failed = readFailure(placeOf(query), world);
  if (failed === undefined || failed.atMs < query.startedAtMs || !isErrorKind(failed.kind)) return undefined;
  if (!isFor(failed.owner, query, world)) return undefined;
  return new GwtokenError(failed.kind, oneLine(failed.message), { reason: failed.reason });
}

/**
 * Returns the refusal of these credentials, from any source, in the last 30 s; undefined if there is none.
 */
export function lastRefusal(
  credentials: Credentials,
  query: Query,
  world: ShareWorld,
): GwtokenError | undefined {
  const failed = query.fresh ? undefined : readFailure(placeOfRefusal(credentials, query), world);
  if (failed?.owner.authUrl !== query.authUrl.value) return undefined;
  const agoMs = world.now() - failed.atMs;
  // A refusal in the future does not count, because the clock was set back.
  if (agoMs < 0 || agoMs >= REMEMBERED_MS) return undefined;
  if (failed.refused !== hmacOf(credentials, failed.owner, world)) return undefined;
  const leftMs = Math.ceil((REMEMBERED_MS - agoMs) / 1000) * 1000;
  const wait = `refused ${duration(agoMs)} ago; not asked again for ${duration(leftMs)}`;
  return new GwtokenError('refused', `${oneLine(failed.message)} (${wait})`, {
    reason: failed.reason,
    hints: ['to ask at once, add --fresh'],
  });
}

/** Returns the place of a refusal, which is the same for credentials from every source. */
function placeOfRefusal({ clientId }: Credentials, query: Pick<Query, 'client' | 'authUrl'>): CachePlace {
  return placeOf({ ...query, source: { clientId, identity: '' } });
}

/** Returns the last failure in a place, of any owner. */
function readFailure(place: CachePlace, { tokens }: ShareWorld): Failure | undefined {
  return parseLike(tokens.read(place, 'failure').text ?? '', FAILURE);
}

function hmacOf({ clientId, clientSecret }: Credentials, { salt }: Owner, world: ShareWorld): string {
  return saltedHmac(JSON.stringify([clientId, clientSecret]), salt, world);
}
