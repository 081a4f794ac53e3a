import { GwtokenError } from '../../errors';
import { maskToken } from '../../formats/mask';
import { messageOf } from '../../system-errors';
import { renewToken } from '../../token/get-token';
import type { Query, TokenAnswer } from '../../token/query';
import { expiresAtMs, freshUntilMs, type Token } from '../../token/token';
import type { World } from '../../world';

const LOOK_MS = 30_000;
/** Shortest pause after a renewal that failed, or brought no later token. */
const SHORTEST_PAUSE_MS = 5_000;
/** The same if the token does not last that long any more, and once it has expired. */
const FINAL_PAUSE_MS = 1_000;
const EXPIRED_PAUSE_MS = 10_000;
/** Pause after a refusal: repeated ones can lock the client out, whose new secret others may use already. */
const REFUSAL_PAUSE_MS = 300_000;

/**
 * Does the work while the file has a valid token. Afterwards it is removed, if it still has the last one.
 *
 * @param resolveAgain reads the credentials' variables or secret file again, in case the secret changed
 * @throws GwtokenError as {@link World.replaceFile} for the first token
 */
export async function withTokenFile<T>(
  path: string,
  answer: TokenAnswer,
  resolveAgain: () => Query,
  world: World,
  work: () => Promise<T>,
): Promise<T> {
  let last = '';
  const write = (token: string): void => {
    world.replaceFile(path, token);
    last = token;
  };
  write(answer.token.accessToken);
  const stop = keepRenewed(answer, write, resolveAgain, world);
  try {
    return await work();
  } finally {
    stop();
    world.removeFile(path, last);
  }
}

/**
 * Writes each new token until the returned function is called. It looks every 30 s at least: a laptop may
 * sleep, and a timer of more than 2^31 ms fires at once.
 */
function keepRenewed(
  { token: first, query }: TokenAnswer,
  write: (token: string) => void,
  resolveAgain: () => Query,
  world: World,
): () => void {
  const ended = new AbortController();
  // A token without an expiry is never renewed.
  const dueAtMs = (token: Token): number => freshUntilMs(token, query.minTtl) ?? Number.POSITIVE_INFINITY;
  let token = first;
  // Due by either clock: one can be set back, the other may stand still while a laptop sleeps.
  let due = { wallMs: 0, monotonicMs: 0 };
  const setDue = (wallMs: number): void => {
    due = { wallMs, monotonicMs: world.monotonicMs() + wallMs - world.now() };
  };
  const untilDueMs = (): number => Math.min(due.wallMs - world.now(), due.monotonicMs - world.monotonicMs());
  setDue(dueAtMs(token));
  let failing = false;

  const renew = async (): Promise<void> => {
    try {
      const { token: fresh } = await renewToken(resolveAgain(), world, ended.signal);
      if (ended.signal.aborted) return;
      if (fresh.accessToken !== token.accessToken) {
        maskToken(fresh.accessToken, world);
        write(fresh.accessToken);
      }
      setDue(isLater(fresh, token) ? dueAtMs(fresh) : world.now() + pauseMs(fresh, world.now()));
      token = fresh;
      failing = false;
    } catch (error) {
      if (ended.signal.aborted) return;
      const isRefusal = error instanceof GwtokenError && error.kind === 'refused';
      setDue(world.now() + (isRefusal ? REFUSAL_PAUSE_MS : pauseMs(token, world.now())));
      if (!failing) world.warn(failureText(error, token));
      failing = true;
    }
  };

  const look = async (): Promise<void> => {
    if (untilDueMs() <= 0) await renew();
    if (!ended.signal.aborted) stopTimer = world.after(untilNextLookMs(), look);
  };
  const untilNextLookMs = (): number => Math.max(0, Math.min(untilDueMs(), LOOK_MS));

  let stopTimer = world.after(untilNextLookMs(), look);
  return () => {
    ended.abort();
    stopTimer();
  };
}

/** Returns whether the new token expires later: the same one again can seem to, by rounding, by up to 2 s. */
function isLater(fresh: Token, old: Token): boolean {
  return (expiresAtMs(fresh) ?? Number.POSITIVE_INFINITY) - (expiresAtMs(old) ?? 0) > 2_000;
}

/** Returns the pause: half of the time left, so that requests become more frequent towards the expiry. */
function pauseMs(token: Token, nowMs: number): number {
  const leftMs = (expiresAtMs(token) ?? nowMs) - nowMs;
  if (leftMs <= 0) return EXPIRED_PAUSE_MS;
  return Math.max(leftMs > SHORTEST_PAUSE_MS ? SHORTEST_PAUSE_MS : FINAL_PAUSE_MS, leftMs / 2);
}

function failureText(error: unknown, token: Token): string {
  const expiresAt = expiresAtMs(token);
  const until = expiresAt === undefined ? '' : `, which expires at ${new Date(expiresAt).toISOString()}`;
  const reason = messageOf(error);
  return `the token file keeps the last token${until}, and is renewed as soon as that is possible: ${reason}`;
}
