/** Requests a token until there is one, it is refused, or the time is up. */

import { type Client, clientFlags, clientName } from '../client';
import type { Credentials } from '../credentials/credentials';
import { attempt, GwtokenError } from '../errors';
import { resolveAuthUrl } from '../settings/resolve';
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
 * Fetches a token with these credentials. It waits between attempts with full jitter (a random part of a span that
 * doubles), after the time of a Retry-After.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`: why the last attempt failed, with the number of attempts
 */
export async function fetchToken(
  query: EndpointQuery,
  credentials: Credentials,
  world: Pick<World, 'postForm' | 'now' | 'sleep' | 'random' | 'version' | 'trace'>,
): Promise<Token> {
  const { attempts, deadlineMs, signal } = query;
  const endpoint = tokenEndpoint(query.authUrl.value);
  const caFile = query.settings.caFile?.value;
  const limitMs = query.settings.timeoutMs.value;
  let before: GwtokenError | undefined;
  for (let attempt = 1; ; attempt++) {
    const leftMs = deadlineMs - world.now();
    if (leftMs < LEAST_MS) {
      throw new GwtokenError('unreached', `out of time before contacting ${endpoint}`, {
        hints: ['raise --timeout (a call may take three times that in total)'],
        reason: 'time-limit',
      });
    }
    try {
      const timeoutMs = Math.min(limitMs, leftMs);
      return await requestToken({ endpoint, credentials, timeoutMs, caFile, signal }, world);
    } catch (failed) {
      if (!(failed instanceof GwtokenError)) throw failed;
      // One that was cut short by the overall limit names a time that nobody set: the one before says more.
      const isCutShort = leftMs < limitMs && failed.reason === 'time-limit';
      const error = isCutShort ? (before ?? withMore(failed, 'no more time was left')) : failed;
      before = error;
      const retry = attempt === attempts ? undefined : retryOf(error);
      const spanMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
      const waitMs = (retry?.afterMs ?? 0) + world.random() * spanMs;
      const toWaitMs = deadlineMs - world.now();
      if (retry === undefined || waitMs > toWaitMs - LEAST_MS) {
        const left = duration(toWaitMs);
        if (retry)
          world.trace(`giving up: the next attempt would start in ${duration(waitMs)}, with ${left} left`);
        const final = attempt === 1 ? error : withMore(error, `${attempt} attempts`);
        throw error.kind === 'refused' ? final.withHints(refusalHints(error, query)) : final;
      }
      world.trace(
        `attempt ${attempt} of ${attempts} failed: ${error.message}; retrying in ${Math.round(waitMs)} ms`,
      );
      query.onRetry?.(attempt + 1);
      await world.sleep(waitMs);
    }
  }
}

function withMore(error: GwtokenError, more: string): GwtokenError {
  return new GwtokenError(error.kind, `${error.message} (${more})`, error);
}

/** Says what to check: `invalid_client` is also the answer to a client of the other region or environment. */
export function refusalHints(
  { reason }: GwtokenError,
  { plan, sources, client, authUrl }: EndpointQuery,
): readonly string[] {
  const from =
    plan?.kind === 'keychain' ? ` stored for ${clientName(client)}` : plan && ` (from ${plan.name})`;
  const check = `check the client ID and secret${from ?? ''}`;
  if (reason !== 'invalid_client') return [plan === undefined ? check : `credentials used: ${plan.name}`];
  const elsewhere: Client = { ...client, region: client.region === 'eu' ? 'us' : 'eu' };
  const hints = [check, `if the client belongs to region ${elsewhere.region}, use ${clientFlags(elsewhere)}`];
  const isSandbox = client.environment === 'sandbox';
  const environment = isSandbox ? 'production' : 'sandbox';
  // An invalid auth URL of the other environment must not take the place of the refusal.
  const another = attempt(() => resolveAuthUrl(sources, { ...client, environment }));
  if (another instanceof GwtokenError || another === undefined || another.value === authUrl.value)
    return hints;
  return [...hints, `if it is a ${environment} client, add ${isSandbox ? '--no-sandbox' : '--sandbox'}`];
}
