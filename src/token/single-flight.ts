/** One request for many processes: the holder of the client's lock sends it, the others share its outcome. */

import { clientName } from '../client';
import { failure, GwtokenError } from '../errors';
import { type ErrorKind, isErrorKind } from '../exit-codes';
import { duration, oneLine } from '../text';
import type { HeldLock, World } from '../world';
import { parseObject, sharedBy } from './cache';
import type { Query, TokenAnswer } from './query';
import { retryOf } from './reply';

interface Work {
  /** Returns the cached token, if it is valid for long enough. */
  look(): TokenAnswer | undefined;
  /**
   * Returns a new token, and whether the others find it in the cache.
   *
   * @param limitMs how long its attempts may take together
   * @param onCredentials called once the credentials are there, before the request
   */
  fetch(limitMs: number, onCredentials: () => void): Promise<{ answer: TokenAnswer; isShared: boolean }>;
}

type LockWorld = Pick<World, 'tokens' | 'trace'>;

/**
 * Returns the token of one request for all processes that want it: whoever gets the client's lock sends it. A
 * process that twice gets nothing by waiting, or cannot have a lock, sends its own.
 *
 * @throws GwtokenError the lock holder's failure, if a request of this process would end no better
 */
export async function shareRequest(query: Query, world: LockWorld, work: Work): Promise<TokenAnswer> {
  let leftMs = query.limitMs;
  for (let emptyHanded = 0; emptyHanded < 2; emptyHanded++) {
    const { generation = '' } = world.tokens.read(query.client);
    const lock = await world.tokens.acquireLock(query.client, sharedBy(query, generation));
    if (lock === undefined) break;
    if (lock.held) return await hold(lock, { ...query, limitMs: leftMs }, work);

    world.trace('waiting for another gwtoken process to get this token');
    const { end, text, countedMs } = await lock.wait(leftMs, query.signal);
    if (end === 'late') throw tooLate(query);
    leftMs -= countedMs;
    const outcome = parseObject(text);
    const theirFailure = failureFor({ ...query, limitMs: leftMs }, outcome['failure']);
    if (theirFailure) throw theirFailure;
    const cached = work.look();
    if (cached) return cached;
    if (end === 'without' || outcome['unshared'] === true) break;
  }
  return (await work.fetch(leftMs, () => {})).answer;
}

async function hold(lock: HeldLock, query: Query, work: Work): Promise<TokenAnswer> {
  let outcome = '';
  try {
    const cached = work.look();
    if (cached) return cached;
    const { answer, isShared } = await work.fetch(query.limitMs, lock.startClock);
    if (!isShared) outcome = JSON.stringify({ unshared: true });
    return answer;
  } catch (error) {
    if (error instanceof GwtokenError) outcome = formatFailure(error, query);
    throw error;
  } finally {
    // A cancelled request tells nothing about the next one.
    lock.release(query.signal?.aborted ? '' : outcome);
  }
}

/** Kinds of error in the holder's own flags or files, which those who wait do not share. */
const OWN_FAULTS: readonly ErrorKind[] = ['usage', 'local'];

/** Returns a failure as text, without hints. One that is worth a retry says what was tried. */
function formatFailure(error: GwtokenError, { attempts, limitMs, timeoutMs }: Query): string {
  const { kind, message, reason } = error;
  if (OWN_FAULTS.includes(kind)) return '';
  const tried = retryOf(error) && { attempts, limitMs, timeoutMs };
  return JSON.stringify({ failure: { kind, message: message.slice(0, 1000), reason, tried } });
}

/**
 * Reads the failure that a holder left, which may be of another version. Returns undefined if this query has
 * more attempts or more time, which might mend it.
 */
function failureFor(query: Query, stored: unknown): GwtokenError | undefined {
  const { kind, message, reason, tried } = (stored ?? {}) as Record<string, unknown>;
  if (!isErrorKind(kind) || OWN_FAULTS.includes(kind) || typeof message !== 'string') return undefined;
  // Without them all comparisons are false: no retry would mend that failure.
  const { attempts, limitMs, timeoutMs } = (tried ?? {}) as Record<string, unknown>;
  if (Number(attempts) < query.attempts || Number(limitMs) < query.limitMs) return undefined;
  if (Number(timeoutMs) < query.timeoutMs) return undefined;
  return new GwtokenError(kind, oneLine(message), {
    reason: typeof reason === 'string' ? reason : undefined,
    ofAnotherProcess: true,
  });
}

function tooLate({ client, limitMs }: Query): GwtokenError {
  return failure(
    'unreached',
    `waited ${duration(limitMs)} for another gwtoken process to get the token for ${clientName(client)}`,
    'raise --timeout, or use --no-cache to not wait',
  );
}
