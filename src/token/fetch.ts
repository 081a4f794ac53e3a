/** Requests a token until there is one, it is refused, or the time is up. */

import type { Credentials } from '../credentials/credentials';
import { GwtokenError, type Retry } from '../errors';
import { duration } from '../text';
import type { World } from '../world';
import type { EndpointQuery } from './query';
import { retryOf } from './reply';
import { requestToken, tokenEndpoint } from './request';
import type { Token } from './token';

/** The longest wait before the second attempt; it doubles with each. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** No attempt is begun with less left: it could only time out, and hide why the one before it failed. */
const LEAST_MS = 500;

/**
 * Fetches a token with these credentials, in as many attempts as the query allows.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`: why the last attempt failed, with the number of attempts
 */
export async function fetchToken(
  query: EndpointQuery,
  credentials: Credentials,
  world: Pick<World, 'postForm' | 'now' | 'monotonicMs' | 'sleep' | 'random' | 'version' | 'trace'>,
): Promise<Token> {
  const { attempts, signal } = query;
  const deadlineMs = world.monotonicMs() + query.limitMs;
  const endpoint = tokenEndpoint(query.authUrl.value);
  const caFile = query.settings.caFile?.value;
  const limitMs = query.settings.timeoutMs.value;
  let before: GwtokenError | undefined;
  for (let n = 1; ; n++) {
    const leftMs = deadlineMs - world.monotonicMs();
    if (leftMs < LEAST_MS) throw outOfTime(endpoint);
    try {
      const timeoutMs = Math.min(limitMs, leftMs);
      return await requestToken({ endpoint, credentials, timeoutMs, caFile, signal }, world);
    } catch (failed) {
      if (!(failed instanceof GwtokenError)) throw failed;
      // One that was cut short by the overall limit names a time that nobody set: the one before says more.
      const isCutShort = leftMs < limitMs && failed.reason === 'time-limit';
      const error = isCutShort ? (before ?? withMore(failed, 'no more time was left')) : failed;
      before = error;
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
 * Returns how long to wait after the n-th attempt, in milliseconds; undefined if the next one would come too late. It is
 * what Retry-After asks for, and a random part of a span that doubles (full jitter), so that clients that failed
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
