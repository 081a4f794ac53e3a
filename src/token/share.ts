/** One request for many processes: the holder of the client's lock sends it, the others share its outcome. */
import { clientName } from '../client';
import type { Credentials } from '../credentials/credentials';
import { failure, GwtokenError, isErrorKind, type Reason } from '../errors';
import { duration, oneLine } from '../text';
import { withHeldLock } from '../waiting';
import type { CachePlace, World } from '../world';
import { isFor, OWNER, type Owner, parseLike, placeOf, saltedHmac } from './cache';
import type { Query, TokenAnswer } from './query';

type ShareWorld = Pick<World, 'tokens' | 'trace' | 'now' | 'monotonicMs' | 'hmac'>;

/**
 * Returns the token of one request for all processes that want it. A process that waits in vain twice, or
 * cannot have the lock, sends its own.
 *
 * @param look returns the cached token, if it will do
 * @param fetch requests a new one, and caches it; a failure is left in the cache too
 */
export async function shareRequest(
  query: Query,
  world: ShareWorld,
  look: () => TokenAnswer | undefined,
  fetch: (limitMs: number) => Promise<TokenAnswer>,
): Promise<TokenAnswer> {
  const { client, limitMs, signal } = query;
  // The holder may first have to wait for its keychain, or its command.
  const longestMs = limitMs + query.source.waitMs;
  const giveUpAtMs = world.monotonicMs() + longestMs;
  const leftMs = (): number => giveUpAtMs - world.monotonicMs();
  const fetchInTime = (): Promise<TokenAnswer> => fetch(Math.min(limitMs, leftMs()));
  for (let inVain = 0; inVain < 2; ) {
    const lock = await world.tokens.acquireLock(placeOf(query));
    if (lock === undefined) break;
    if (lock.held)
      return await withHeldLock(lock.release, signal, async () => look() ?? (await fetchInTime()));
    world.trace('waiting for another gwtoken process to get this token');
    const end = await lock.wait(leftMs(), signal);
    if (end === 'late') {
      const what = `waited ${duration(longestMs)} for another gwtoken process to get the token for`;
      const hint = 'raise --timeout, or use --no-cache to not wait';
      throw failure('unreached', `${what} ${clientName(client)}`, hint);
    }
    const shared = look();
    if (shared) return shared;
    const failed = sharedFailure(query, world);
    if (failed) throw failed;
    // A dead holder has left nothing to anybody: its place is taken, and the others wait on.
    if (end === 'released') inVain++;
  }
  return await fetchInTime();
}

/** An example of a failed request, as it is left to others. */
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

/** A refusal counts for 30 s: a prompt or a loop would repeat it, and identity services lock clients out. */
const REMEMBERED_MS = 30_000;

/**
 * Throws a failure on, and leaves it to those who wait for it, and a refusal to those who come. One in this
 * process's own flags, files or proxy, or of a cancelled request, is nobody else's.
 *
 * @param sent the credentials; undefined if nothing was sent
 */
export async function leaveFailure(
  error: unknown,
  query: Pick<Query, 'client' | 'authUrl' | 'source' | 'signal'>,
  owner: Owner,
  world: ShareWorld,
  sent?: Credentials,
): Promise<never> {
  if (!(error instanceof GwtokenError) || query.signal?.aborted) throw error;
  const { kind, message, reason = '', retry } = error;
  // A waiter has the next token by its own request: a token file's renewal makes one attempt only.
  if (reason === 'just-expired') throw error;
  if (kind === 'usage' || kind === 'local' || (kind === 'unreached' && !retry)) throw error;
  const refused = sent && kind === 'refused' ? hmacOf(sent, owner, world) : '';
  const failed: Failure = { owner, atMs: world.now(), kind, message, reason, refused };
  const text = `${JSON.stringify(failed)}\n`;
  await world.tokens.write(placeOf(query), text, 'failure');
  if (sent && refused) await world.tokens.write(placeOfRefusal(sent, query), text, 'failure');
  throw error;
}

/** Returns the failure of the holder that this process has waited for, if it has left one. */
function sharedFailure(query: Query, world: ShareWorld): GwtokenError | undefined {
  const failed = readFailure(placeOf(query), world);
  if (failed === undefined || failed.atMs < query.startedAtMs || !isErrorKind(failed.kind)) return undefined;
  if (!isFor(failed.owner, query, world)) return undefined;
  return new GwtokenError(failed.kind, oneLine(failed.message), { reason: failed.reason });
}

/** Returns the refusal of these credentials in the last 30 s, whatever their source; undefined if none. */
export function lastRefusal(
  credentials: Credentials,
  query: Query,
  world: ShareWorld,
): GwtokenError | undefined {
  const failed = query.fresh ? undefined : readFailure(placeOfRefusal(credentials, query), world);
  if (failed?.owner.authUrl !== query.authUrl.value) return undefined;
  const agoMs = world.now() - failed.atMs;
  // One dated in the future does not count: the clock was set back.
  if (agoMs < 0 || agoMs >= REMEMBERED_MS) return undefined;
  if (failed.refused !== hmacOf(credentials, failed.owner, world)) return undefined;
  const wait = `refused ${duration(agoMs)} ago; not asked again for ${duration(REMEMBERED_MS - agoMs)}`;
  return new GwtokenError('refused', `${oneLine(failed.message)} (${wait})`, {
    reason: failed.reason,
    hints: ['to ask at once, add --fresh'],
  });
}

/** Returns the place of a refusal: that of the credentials, whatever their source. */
function placeOfRefusal({ clientId }: Credentials, query: Pick<Query, 'client' | 'authUrl'>): CachePlace {
  return placeOf({ ...query, source: { clientId, identity: '' } });
}

/** Returns the last failure in a place; undefined also after a login or logout. */
function readFailure(place: CachePlace, { tokens }: ShareWorld): Failure | undefined {
  const { text = '', generation } = tokens.read(place, 'failure');
  const failed = parseLike(text, FAILURE);
  return failed?.owner.generation === generation ? failed : undefined;
}

function hmacOf({ clientId, clientSecret }: Credentials, { salt }: Owner, world: ShareWorld): string {
  return saltedHmac(JSON.stringify([clientId, clientSecret]), world, salt).hmac;
}
