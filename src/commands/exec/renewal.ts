/**
 * Keeps the token of a `--token-file` valid for as long as the command runs. It goes by the wall clock and looks at it
 * every 30 s at least: a laptop may sleep, and a timer of more than 2^31 ms fires at once.
 */
import { GwtokenError, messageOf } from '../../errors';
import { expiresAtMs, freshUntilMs, type Token } from '../../token/token';
import type { World } from '../../world';

const LOOK_MS = 30_000;
/** The least pause after a request that failed or brought no later expiry: this while it is left, then the second. */
const LEAST_MS = 5_000;
const LAST_MS = 1_000;
const EXPIRED_MS = 10_000;
/** After a refusal: repeated refusals can lock a client out, whose new secret others use already. */
const REFUSAL_MS = 300_000;

export interface Renewal {
  readonly first: Token;
  /** The minimum life that a token must have left, in milliseconds; undefined: it depends on its lifetime, as everywhere. */
  readonly minTtlMs: number | undefined;
  fetchFresh(): Promise<Token>;
  /** Puts a token where the command reads it. */
  store(token: Token): void;
  /** Called at each look at the clock. */
  looked(): void;
  readonly world: Pick<World, 'warn' | 'now' | 'after'>;
}

/** Starts renewing; the returned function ends it. */
export function startRenewal(renewal: Renewal): () => void {
  const { minTtlMs, world } = renewal;
  let token = renewal.first;
  // A token without an expiry is never renewed.
  let dueMs = freshUntilMs(token, minTtlMs) ?? Number.POSITIVE_INFINITY;
  let failing = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    renewal.looked();
    if (world.now() >= dueMs) await renew();
    if (!stopped) stopTimer = world.after(untilNextLookMs(), look);
  };

  const renew = async (): Promise<void> => {
    try {
      const fresh = await renewal.fetchFresh();
      if (stopped) return;
      if (fresh.accessToken !== token.accessToken) renewal.store(fresh);
      dueMs = isLater(fresh, token)
        ? (freshUntilMs(fresh, minTtlMs) ?? Number.POSITIVE_INFINITY)
        : world.now() + pauseMs(fresh, world.now());
      token = fresh;
      failing = false;
    } catch (error) {
      if (stopped) return;
      const isRefusal = error instanceof GwtokenError && error.kind === 'refused';
      dueMs = world.now() + (isRefusal ? REFUSAL_MS : pauseMs(token, world.now()));
      if (!failing) world.warn(failureText(error, token));
      failing = true;
    }
  };

  const untilNextLookMs = (): number => Math.max(0, Math.min(dueMs - world.now(), LOOK_MS));

  let stopTimer = world.after(untilNextLookMs(), look);
  return () => {
    stopped = true;
    stopTimer();
  };
}

/** Whether the new token expires later: the same one given again can seem to, by up to 2 s of rounding. */
function isLater(fresh: Token, old: Token): boolean {
  return (expiresAtMs(fresh) ?? Number.POSITIVE_INFINITY) - (expiresAtMs(old) ?? 0) > 2_000;
}

/** Half of what is left of the token, so that requests become more frequent towards its end. */
function pauseMs(token: Token, nowMs: number): number {
  const leftMs = (expiresAtMs(token) ?? nowMs) - nowMs;
  if (leftMs <= 0) return EXPIRED_MS;
  return Math.max(leftMs > LEAST_MS ? LEAST_MS : LAST_MS, leftMs / 2);
}

function failureText(error: unknown, token: Token): string {
  const expiresAt = expiresAtMs(token);
  const until = expiresAt === undefined ? '' : `, which expires at ${new Date(expiresAt).toISOString()}`;
  return `the token file keeps the last token${until}, and is renewed as soon as that is possible: ${messageOf(error)}`;
}
