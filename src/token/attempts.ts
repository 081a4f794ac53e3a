/** Asks for a token until there is one, it is refused, or the time is up (contract section 6). */

import { GwtokenError, type Retry } from '../errors';
import { seconds } from '../text';
import type { World } from '../world/world';
import { endpointOf, requestToken, type TokenRequest } from './request';
import { retryOf } from './retry';
import type { Token } from './token';

export interface TokenAttempts extends TokenRequest {
  /** How often a failed attempt is repeated. */
  readonly retries: number;
  /** When all attempts and the waiting between them must have ended, in milliseconds since the epoch. */
  readonly deadlineMs: number;
}

/** The most that is waited before the first repetition; it doubles with each. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Asks up to `1 + retries` times, with full jitter between (a random part of a span that doubles), so that many
 * clients that failed together do not come back together; what a Retry-After asks for comes before that.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`: what the last attempt met, with the number of attempts
 */
export async function requestTokenWithRetries(
  { retries, deadlineMs, ...request }: TokenAttempts,
  world: Pick<World, 'fetch' | 'now' | 'sleep' | 'random' | 'version' | 'trace'>,
): Promise<Token> {
  for (let attempt = 1; ; attempt++) {
    const leftMs = deadlineMs - world.now();
    if (leftMs <= 0) {
      throw new GwtokenError('unreached', `no time was left to ask ${endpointOf(request)}`, {
        hints: ['allow more time with --timeout: all that a call does together may take three times that'],
        reason: 'time-limit',
      });
    }
    try {
      return await requestToken({ ...request, timeoutMs: Math.min(request.timeoutMs, leftMs) }, world);
    } catch (error) {
      if (!(error instanceof GwtokenError)) throw error;
      const retry = retryOf(error);
      if (retry === undefined || attempt > retries) throw withAttempts(error, attempt);
      const waitMs = waitBefore(retry, attempt, world);
      const left = deadlineMs - world.now();
      if (waitMs >= left) {
        world.trace(`no attempt ${attempt + 1}: ${seconds(waitMs)} to wait, ${seconds(left)} left`);
        throw withAttempts(error, attempt);
      }
      world.trace(
        `attempt ${attempt} of ${1 + retries}: ${error.message}; the next in ${Math.round(waitMs)} ms`,
      );
      await world.sleep(waitMs);
    }
  }
}

function waitBefore({ afterMs = 0 }: Retry, attempt: number, { random }: Pick<World, 'random'>): number {
  const spanMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return afterMs + random() * spanMs;
}

function withAttempts(error: GwtokenError, attempts: number): GwtokenError {
  return attempts === 1
    ? error
    : new GwtokenError(error.kind, `${error.message} (${attempts} attempts)`, error);
}
