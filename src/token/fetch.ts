/** Requests a token until there is one, it is refused, or the time is up. */

import type { Credentials } from '../credentials/credentials';
import { GwtokenError, type Retry } from '../errors';
import { duration } from '../text';
import type { World } from '../world';
import type { Limits, Query } from './query';
import { retryOf } from './reply';
import { requestToken, tokenEndpoint } from './request';
import type { Token } from './token';

/** Longest wait before the second attempt; it doubles with each. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** Least time for an attempt: a shorter one could only time out, and hide the error of the one before. */
const LEAST_MS = 500;

export type RequestWorld = Pick<
  World,
  'postForm' | 'now' | 'monotonicMs' | 'sleep' | 'random' | 'version' | 'trace'
>;

interface Attempts extends Limits, Pick<Query, 'onRetry' | 'signal'> {
  readonly authUrl: Pick<Query['authUrl'], 'value'>;
}

/**
 * Fetches a token with these credentials, in as many attempts as the query allows.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`: that of the last attempt, with their number
 */
export async function fetchToken(
  query: Attempts,
  credentials: Credentials,
  world: RequestWorld,
): Promise<Token> {
  const { attempts, timeoutMs: limitMs, signal } = query;
  const deadlineMs = world.monotonicMs() + query.limitMs;
  const endpoint = tokenEndpoint(query.authUrl.value);
  const caFile = query.caFile?.value;
  let previous: GwtokenError | undefined;
  for (let n = 1; ; n++) {
    const leftMs = deadlineMs - world.monotonicMs();
    if (leftMs < LEAST_MS) throw outOfTime(endpoint);
    try {
      const timeoutMs = Math.min(limitMs, leftMs);
      return await requestToken({ endpoint, credentials, timeoutMs, caFile, signal }, world);
    } catch (failed) {
      if (!(failed instanceof GwtokenError)) throw failed;
      // An attempt cut short by the deadline names a time that nobody set; the error before it says more.
      const isCutShort = leftMs < limitMs && failed.reason === 'time-limit';
      const error = isCutShort ? (previous ?? withMore(failed, 'no more time was left')) : failed;
      previous = error;
      const retry = n < attempts ? retryOf(error) : undefined;
      const pauseMs = retry && pauseBeforeRetry(n, retry, deadlineMs - world.monotonicMs(), world);
      if (pauseMs === undefined) throw n === 1 ? error : withMore(error, `${n} attempts`);
      world.trace(
        `attempt ${n} of ${attempts} failed: ${error.message}; retrying in ${Math.round(pauseMs)} ms`,
      );
      query.onRetry?.(n + 1);
      await world.sleep(pauseMs);
    }
  }
}

/**
 * Returns how long to wait after the n-th attempt, in ms; undefined if the next one would come too late. The
 * wait is Retry-After plus a random part of a span that doubles (full jitter), so that clients that failed
 * together do not come back together.
 */
function pauseBeforeRetry(
  n: number,
  { afterMs = 0 }: Retry,
  leftMs: number,
  world: Pick<World, 'random' | 'trace'>,
): number | undefined {
  const spanMs = Math.min(FIRST_WAIT_MS * 2 ** (n - 1), LONGEST_WAIT_MS);
  const pauseMs = afterMs + world.random() * spanMs;
  if (pauseMs <= leftMs - LEAST_MS) return pauseMs;
  const left = duration(Math.max(0, leftMs));
  world.trace(`giving up: the next attempt would start in ${duration(pauseMs)}, with ${left} left`);
  return undefined;
}

function outOfTime(endpoint: string): GwtokenError {
  return new GwtokenError('unreached', `out of time before contacting ${endpoint}`, {
    hints: ['raise --timeout (a call may take three times that in total)'],
    reason: 'time-limit',
  });
}

function withMore(error: GwtokenError, more: string): GwtokenError {
  return new GwtokenError(error.kind, `${error.message} (${more})`, error);
}
