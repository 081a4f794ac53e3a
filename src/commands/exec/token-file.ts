/** The file of `exec --token-file`, which contains a valid token while the command runs. */
import { GwtokenError, messageOf } from '../../errors';
import { maskInLog } from '../../formats/mask';
import { warn } from '../../note';
import { getToken } from '../../token/get-token';
import { REMEMBERED_MS } from '../../token/last-failure';
import type { Query, TokenAnswer } from '../../token/query';
import { ageMs, freshUntilMs, type Token } from '../../token/token';
import type { World } from '../../world';

interface TokenFile {
  /** Writes the file and starts the renewals. Throws if the file cannot be written. */
  begin(): void;
  /** Ends the renewals and removes the file, unless it contains another token than this run's last one. */
  end(): void;
}

/** Pause after a failure, and longest pause between two looks: timers stop while a laptop sleeps. */
const LONGEST_PAUSE_MS = 10_000;
/** Shortest pause after a renewal. */
const SHORTEST_PAUSE_MS = 1_000;

/** @param queryAgain returns the query for a renewal, because a login may have replaced the credentials */
export function openTokenFile(
  path: string,
  { token: first, query: { minTtl } }: TokenAnswer,
  queryAgain: () => Query,
  world: World,
): TokenFile {
  const ended = new AbortController();
  const { signal } = ended;
  let token = first;
  const renew = async (): Promise<void> => {
    // No spinner, because the command uses the terminal.
    const { token: next } = await getToken({ ...queryAgain(), attempts: 1, freshOnly: true, signal }, world);
    if (signal.aborted) return;
    if (next.accessToken !== token.accessToken) {
      maskInLog(next.accessToken, world);
      world.replaceFile(path, next.accessToken, true);
    }
    token = next;
  };
  return {
    begin() {
      world.replaceFile(path, token.accessToken, true);
      void keepRenewing(renew, () => dueInMs(token, minTtl, world.now()), signal, world);
    },
    end() {
      ended.abort();
      world.removeFile(path, token.accessToken);
    },
  };
}

/** Returns the time until a renewal is due; infinity for a token without an expiry. */
function dueInMs(token: Token, minTtl: Query['minTtl'], nowMs: number): number {
  const untilMs = freshUntilMs(token, minTtl);
  if (untilMs === undefined) return Number.POSITIVE_INFINITY;
  return ageMs(token.requestedAtMs, nowMs) === undefined ? 0 : untilMs - nowMs;
}

/** Calls `renew` each time that a renewal is due, until the signal. */
async function keepRenewing(
  renew: () => Promise<void>,
  nextInMs: () => number,
  signal: AbortSignal,
  world: World,
): Promise<void> {
  let failures = 0;
  let isReported = false;
  let leastPauseMs = 0;
  while (!signal.aborted) {
    await world.sleep(Math.max(leastPauseMs, Math.min(nextInMs(), LONGEST_PAUSE_MS)));
    if (signal.aborted || nextInMs() > 0) continue;
    try {
      await renew();
      failures = 0;
      isReported = false;
      leastPauseMs = SHORTEST_PAUSE_MS;
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      const { pauseMs, isHarmless } = afterFailure(error, failures);
      leastPauseMs = pauseMs;
      // Of failures in a row, only one is reported.
      if (isHarmless || isReported) continue;
      warn(world, `the token file still has the last token: ${messageOf(error)}`);
      isReported = true;
    }
  }
}

/**
 * Returns the pause after this number of failures in a row. A token that has just expired is harmless: an
 * endpoint that returns one token until its end has another one within two short pauses.
 */
function afterFailure(error: unknown, failures: number): { pauseMs: number; isHarmless: boolean } {
  const { kind, reason, retry } = error instanceof GwtokenError ? error : {};
  if (reason === 'just-expired' && failures <= 2) return { pauseMs: retry?.afterMs ?? 0, isHarmless: true };
  return { pauseMs: kind === 'refused' ? REMEMBERED_MS : LONGEST_PAUSE_MS, isHarmless: false };
}
