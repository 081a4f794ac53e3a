/** One request for many processes: the lock holder sends it, and the waiting processes find its outcome. */
import { clientName } from '../client';
import { GwtokenError } from '../errors';
import { type HeldLock, withHeldLock } from '../lock';
import { duration } from '../text';
import type { World } from '../world';
import type { Query, TokenAnswer } from './query';

/** Number of waits for another process after which a process sends its own request. */
const MOST_EMPTY_WAITS = 2;

interface Steps {
  /** Returns the cached token if the query accepts it. Throws the last failure if that counts. */
  findOutcome(): TokenAnswer | undefined;
  /** Requests a token and stores the outcome; without a lock if locks do not work. */
  fetch(limitMs: number, lock?: HeldLock): Promise<TokenAnswer>;
}

/**
 * Returns the token of one request for all processes that want it. A process sends its own request if it
 * cannot use the lock, or if its waits end without an outcome. Throws `unreached` if the wait takes too long,
 * or the error of a step.
 */
export async function shareRequest(
  query: Query,
  world: Pick<World, 'tokens' | 'trace' | 'monotonicMs'>,
  { findOutcome, fetch }: Steps,
): Promise<TokenAnswer> {
  const { limitMs, signal } = query;
  // The lock holder may first have to wait for its keychain or its command.
  const longestMs = limitMs + query.source.waitMs;
  const giveUpAtMs = world.monotonicMs() + longestMs;
  const leftMs = (): number => giveUpAtMs - world.monotonicMs();
  const findOrFetch = async (lock?: HeldLock): Promise<TokenAnswer> =>
    findOutcome() ?? (await fetch(Math.min(limitMs, leftMs()), lock));
  for (let emptyWaits = 0; emptyWaits < MOST_EMPTY_WAITS; emptyWaits++) {
    const lock = await world.tokens.acquireLock(query.key);
    if (lock === undefined) break;
    if (lock.held) return await withHeldLock(lock, () => findOrFetch(lock), signal);
    world.trace('waiting for another gwtoken process to get this token');
    if ((await lock.wait(leftMs(), signal)) === 'late') throw lateError(query, longestMs);
    const shared = findOutcome();
    if (shared) return shared;
  }
  return await findOrFetch();
}

function lateError({ key: { client } }: Query, waitedMs: number): GwtokenError {
  const what = `waited ${duration(waitedMs)} for another gwtoken process to get the token for`;
  return new GwtokenError('unreached', `${what} ${clientName(client)}`, [
    'raise --timeout, or use --no-cache to not wait',
  ]);
}
