/** The file of `exec --token-file`, which contains a valid token while the command runs. */
import { GwtokenError, messageOf } from '../../errors';
import { maskInLog } from '../../formats/mask';
import { warn } from '../../note';
import { getToken } from '../../token/get-token';
import { REMEMBERED_MS } from '../../token/last-failure';
import type { Query, TokenAnswer } from '../../token/query';
import { ageMs, freshUntilMs } from '../../token/token';
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
  let token = first;
  /** Returns the time until a renewal is due; infinity for a token without an expiry. */
  const dueInMs = (): number => {
    const untilMs = freshUntilMs(token, minTtl);
    if (untilMs === undefined) return Number.POSITIVE_INFINITY;
    const nowMs = world.now();
    return ageMs(token.requestedAtMs, nowMs) === undefined ? 0 : untilMs - nowMs;
  };

  const renew = async (): Promise<void> => {
    // No spinner, because the command uses the terminal.
    const query = { ...queryAgain(), attempts: 1, freshOnly: true, signal: ended.signal };
    const { token: next } = await getToken(query, world);
    if (ended.signal.aborted) return;
    if (next.accessToken !== token.accessToken) {
      maskInLog(next.accessToken, world);
      world.replaceFile(path, next.accessToken, true);
    }
    token = next;
  };

  const keepValid = async (): Promise<void> => {
    let failures = 0;
    let leastPauseMs = 0;
    while (!ended.signal.aborted) {
      await world.sleep(Math.max(leastPauseMs, Math.min(dueInMs(), LONGEST_PAUSE_MS)));
      if (ended.signal.aborted || dueInMs() > 0) continue;
      try {
        await renew();
        failures = 0;
        leastPauseMs = SHORTEST_PAUSE_MS;
      } catch (error) {
        if (ended.signal.aborted) return;
        failures++;
        const pauseMs = pauseAfter(error, failures);
        // Of several failures in a row, only the first is reported.
        if (leastPauseMs < LONGEST_PAUSE_MS && pauseMs >= LONGEST_PAUSE_MS)
          warn(world, `the token file still has the last token: ${messageOf(error)}`);
        leastPauseMs = pauseMs;
      }
    }
  };

  return {
    begin() {
      world.replaceFile(path, token.accessToken, true);
      void keepValid();
    },
    end() {
      ended.abort();
      world.removeFile(path, token.accessToken);
    },
  };
}

/** Returns the pause after this number of failures in a row. */
function pauseAfter(error: unknown, failures: number): number {
  if (!(error instanceof GwtokenError)) return LONGEST_PAUSE_MS;
  // An endpoint that returns one token until its end has another one within two such pauses.
  if (error.retry?.isExact && failures <= 2) return error.retry.afterMs ?? 0;
  return error.kind === 'refused' ? REMEMBERED_MS : LONGEST_PAUSE_MS;
}
