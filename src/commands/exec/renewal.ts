/**
 * Keeps the token of a `--token-file` valid for as long as the command runs. It goes by the wall clock, looked at every
 * 30 s at least: a laptop sleeps, and a timer of more than 2^31 ms fires at once.
 */
import { GwtokenError, messageOf } from '../../errors';
import { expiresAtMs, freshUntilMs, type Token } from '../../token/token';

const LOOK_MS = 30_000;
/** Also for a token that lives a second, the endpoint is asked no more often. */
const LEAST_MS = 1_000;
/** The least pause after a request that brought nothing: the endpoint was down, or gave the same ageing token again. */
const LEAST_VAIN_MS = 5_000;
/** The most after a failure, and the pause once the token has expired. */
const FAILURE_MS = 30_000;
const EXPIRED_MS = 10_000;
/** A refusal is not asked for again so soon: refusals can lock a client out. */
const REFUSAL_MS = 300_000;

export interface Renewal {
  readonly first: Token;
  /** The least life that a token must have left, in milliseconds; undefined: by its lifetime, as everywhere. */
  readonly minTtlMs: number | undefined;
  /** Asks the endpoint for a new token. */
  fetchFresh(): Promise<Token>;
  /** Puts a token where the command reads it. */
  store(token: Token): void;
  /** At each look at the clock. */
  looked(): void;
  warn(text: string): void;
  /** The time in milliseconds since the epoch. */
  now(): number;
  /** Does the work after so many milliseconds, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

/** Begins to renew; the returned function ends it. */
export function startRenewal(renewal: Renewal): () => void {
  let token = renewal.first;
  let dueMs = dueAtMs(token, renewal.minTtlMs);
  let lookedAtMs = renewal.now();
  let failing = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    renewal.looked();
    const nowMs = renewal.now();
    // The clock was set back, by more than keeping it right does: what was reckoned from it is void.
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

/** When a token is to be renewed; a token that tells no lifetime never is. */
function dueAtMs(token: Token, minTtlMs: number | undefined): number {
  return freshUntilMs(token, minTtlMs) ?? Number.POSITIVE_INFINITY;
}

/** Whether a renewal brought more life: the same token reckoned anew may seem to live a second longer. */
function isLater(fresh: Token, old: Token): boolean {
  const gainMs = (expiresAtMs(fresh) ?? Number.POSITIVE_INFINITY) - (expiresAtMs(old) ?? 0);
  return gainMs > (fresh.accessToken === old.accessToken ? 2_000 : 0);
}

/** Half of what is left, so that the requests come closer as the end does (contract section 6). */
function vainPauseMs(token: Token, nowMs: number): number {
  return Math.max(LEAST_VAIN_MS, ((expiresAtMs(token) ?? nowMs) - nowMs) / 2);
}

function failurePauseMs(error: unknown, token: Token, nowMs: number): number {
  if (error instanceof GwtokenError && error.kind === 'refused') return REFUSAL_MS;
  const expired = (expiresAtMs(token) ?? 0) <= nowMs;
  return expired ? EXPIRED_MS : Math.min(FAILURE_MS, vainPauseMs(token, nowMs));
}

function failureText(error: unknown, token: Token): string {
  const expiresAt = expiresAtMs(token);
  const until = expiresAt === undefined ? '' : `, which expires at ${new Date(expiresAt).toISOString()}`;
  return `the token file keeps the last token${until}, and is renewed as soon as that is possible: ${messageOf(error)}`;
}
