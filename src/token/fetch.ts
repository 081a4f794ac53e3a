/** Requests a token, with retries until the time limit. */
import type { BoundCredentials } from '../credentials/credentials';
import { GwtokenError, type Retry } from '../errors';
import type { PostOptions } from '../post-form';
import { duration, utcTime } from '../text';
import type { World } from '../world';
import { REQUEST_FORM } from './key';
import type { RequestSettings } from './query';
import { judgeReply, REPLY_LIMIT } from './reply';
import type { Token } from './token';

/** Longest wait before the second attempt. It doubles with each further attempt. */
export const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** Shortest time for an attempt. A shorter attempt would time out and hide the error of the previous one. */
const LEAST_ATTEMPT_MS = 500;

export type RequestWorld = Pick<
  World,
  'postForm' | 'now' | 'monotonicMs' | 'sleep' | 'random' | 'version' | 'trace'
>;

/**
 * Fetches a token with these credentials from their own auth URL, in as many attempts as the query allows.
 * Throws the error of the last attempt (`refused`, `unreached` or `bad-reply`), and `usage` for a CA file
 * that cannot be used.
 */
export async function fetchToken(
  query: RequestSettings,
  credentials: BoundCredentials,
  world: RequestWorld,
): Promise<Token> {
  const { attempts, timeoutMs } = query;
  const deadlineMs = world.monotonicMs() + query.limitMs;
  const leftMs = (): number => deadlineMs - world.monotonicMs();
  // Waiting for another process may have taken all of the time.
  let failure = new GwtokenError('unreached', `out of time before contacting ${credentials.authUrl}`, [
    'raise --timeout (a call may take three times that in total)',
  ]);
  for (let n = 1; ; n++) {
    // The machine or this process may have been suspended during a pause.
    if (leftMs() < LEAST_ATTEMPT_MS) throw failure;
    const limitMs = Math.min(timeoutMs, leftMs());
    try {
      return await requestToken({ ...query, timeoutMs: limitMs }, credentials, world);
    } catch (error) {
      if (!(error instanceof GwtokenError)) throw error;
      failure = withAttempts(error, n, n === 1 ? limitMs : query.limitMs - leftMs());
      const retry = n < attempts ? error.retry : undefined;
      const pauseMs = retry && pauseBeforeRetry(n, retry, world);
      if (pauseMs === undefined || leftMs() - pauseMs < LEAST_ATTEMPT_MS) throw failure;
      world.trace(
        `attempt ${n} of ${attempts} failed: ${error.message}; retrying in ${Math.round(pauseMs)} ms`,
      );
      await world.sleep(pauseMs);
    }
  }
}

/** Adds the number of attempts to the last error, and to a timeout the time that they took together. */
function withAttempts(error: GwtokenError, count: number, ms: number): GwtokenError {
  const time = error.reason === 'timed-out' ? ` within ${duration(ms)}` : '';
  return error.with({ message: `${error.message}${time}${count === 1 ? '' : ` (${count} attempts)`}` });
}

/**
 * Returns how long to wait after the n-th attempt, in ms: Retry-After plus a random part of a span that
 * doubles (full jitter), so that clients that failed together do not retry together.
 */
function pauseBeforeRetry(n: number, { afterMs = 0, isExact }: Retry, { random }: RequestWorld): number {
  return afterMs + (isExact ? 0 : random() * Math.min(FIRST_WAIT_MS * 2 ** (n - 1), LONGEST_WAIT_MS));
}

/**
 * Requests a token once: client ID and secret are fields of the form, without an Authorization header.
 * @see RFC 6749 section 4.4.2 (the request) and 2.3.1 (credentials in the body)
 */
async function requestToken(
  { timeoutMs, caFile, signal }: RequestSettings,
  { clientId, clientSecret, authUrl }: BoundCredentials,
  world: RequestWorld,
): Promise<Token> {
  const endpoint = `${authUrl}/oauth2/token`;
  const requestedAtMs = world.now();
  const startedMs = world.monotonicMs();
  const trace = (outcome: string): void =>
    world.trace(`POST ${endpoint}: ${outcome} after ${Math.round(world.monotonicMs() - startedMs)} ms`);
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...REQUEST_FORM });
  const request: PostOptions = {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `gwtoken/${world.version}`,
    },
    body: form.toString(),
    timeoutMs,
    maxBytes: REPLY_LIMIT,
    caFile: caFile?.value,
    signal,
    trace: world.trace,
  };
  const reply = await world.postForm(endpoint, request).catch((error: unknown) => {
    trace('no reply');
    if (!(error instanceof GwtokenError) || error.reason !== 'ca-file') throw error;
    throw error.with({ message: `${error.message} (from ${caFile?.source.name})` });
  });
  trace(String(reply.status));
  const dateMs = Date.parse(reply.headers.get('date') ?? '');
  if (dateMs)
    world.trace(`the endpoint's clock: ${utcTime(dateMs)}, this machine's: ${utcTime(world.now())}`);
  return judgeReply({ ...reply, endpoint, requestedAtMs, secret: clientSecret });
}
