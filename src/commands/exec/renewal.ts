/**
 * Keeps the token of a `--token-file` valid for as long as the command runs. It goes by the wall clock and looks at it
 * every 30 s at least: a laptop may sleep, and a timer of more than 2^31 ms fires at once.
 */
import { GwtokenError, messageOf } from '../../errors';
import { expiresAtMs, freshUntilMs, type Token } from '../../token/token';

const LOOK_MS = 30_000;
/** The endpoint is asked no more often than this, even if its tokens live for only a second. */
const LEAST_MS = 1_000;
/** The same after one that did not help: the endpoint was down, or gave the same ageing token, with more than this left. */
const LEAST_VAIN_MS = 5_000;
/** The longest pause after a failure, and the pause once the token has expired. */
const FAILURE_MS = 30_000;
const EXPIRED_MS = 10_000;
/** After a refusal: repeated refusals can lock a client out. */
const REFUSAL_MS = 300_000;

export interface Renewal {
  readonly first: Token;
  /** The minimum life that a token must have left, in milliseconds; undefined: it depends on its lifetime, as everywhere. */
  readonly minTtlMs: number | undefined;
  /** Asks the endpoint for a new token. */
  fetchFresh(): Promise<Token>;
  /** Puts a token where the command reads it. */
  store(token: Token): void;
  /** Called at each look at the clock. */
  looked(): void;
  warn(text: string): void;
  /** The time in milliseconds since the epoch. */
  now(): number;
  /** Does the work after so many milliseconds, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

/** Starts renewing; the returned function ends it. */
export function startRenewal(renewal: Renewal): () => void {
  let token = renewal.first;
  let dueMs = dueAtMs(token, renewal.minTtlMs);
  let lookedAtMs = renewal.now();
  let failing = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    renewal.looked();
    const nowMs = renewal.now();
    // The clock was set back, by more than a small correction: the times computed from it are wrong now.
    const isSetBack = nowMs < lookedAtMs - 1_000;
    lookedAtMs = nowMs;
    if (isSetBack || nowMs >= dueMs) await renew();
    if (!stopped) stopTimer = renewal.after(pauseMs(), look);
  };

  const renew = async (): Promise<void> => {
    try {
      const fresh = await renewal.fetchFresh();
      if (stopped) return;
      if (fresh.accessToken !== token.accessToken) renewal.store(fresh);
      const nowMs = renewal.now();
      dueMs = isLater(fresh, token)
        ? Math.max(dueAtMs(fresh, renewal.minTtlMs), nowMs + LEAST_MS)
        : nowMs + vainPauseMs(fresh, nowMs);
      token = fresh;
      failing = false;
    } catch (error) {
      if (stopped) return;
      dueMs = renewal.now() + failurePauseMs(error, token, renewal.now());
      if (!failing) renewal.warn(failureText(error, token));
      failing = true;
    }
  };

  const pauseMs = (): number => Math.max(0, Math.min(dueMs - renewal.now(), LOOK_MS));

  let stopTimer = renewal.after(pauseMs(), look);
  return () => {
    stopped = true;
    stopTimer();
  };
}

/** When a token is to be renewed; one without an expiry never is. */
function dueAtMs(token: Token, minTtlMs: number | undefined): number {
  return freshUntilMs(token, minTtlMs) ?? Number.POSITIVE_INFINITY;
}

/** Whether the new token expires later. The same token given again can seem to, by up to 2 s of rounding. */
function isLater(fresh: Token, old: Token): boolean {
  const gainMs = (expiresAtMs(fresh) ?? Number.POSITIVE_INFINITY) - (expiresAtMs(old) ?? 0);
  return gainMs > (fresh.accessToken === old.accessToken ? 2_000 : 0);
}

/**
 * Half of what is left, so that requests become more frequent towards the end: not less than 5 s as long as that much
 * is left, and then not less than a second.
 */
function vainPauseMs(token: Token, nowMs: number): number {
  const leftMs = (expiresAtMs(token) ?? nowMs) - nowMs;
  return Math.max(leftMs > LEAST_VAIN_MS ? LEAST_VAIN_MS : LEAST_MS, leftMs / 2);
}

function failurePauseMs(error: unknown, token: Token, nowMs: number): number {
  if (error instanceof GwtokenError && error.kind === 'refused') return REFUSAL_MS;
  const expired = (expiresAtMs(token) ?? 0) <= nowMs;
  return expired ? EXPIRED_MS : Math.min(FAILURE_MS, Math.max(LEAST_VAIN_MS, vainPauseMs(token, nowMs)));
}

function failureText(error: unknown, token: Token): string {
  const expiresAt = expiresAtMs(token);
  const until = expiresAt === undefined ? '' : `, which expires at ${new Date(expiresAt).toISOString()}`;
  return `the token file keeps the last token${until}, and is renewed as soon as that is possible: ${messageOf(error)}`;
}
