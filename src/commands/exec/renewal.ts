/** Keeps a valid token in the file of `exec --token-file` while the command runs. */
import { GwtokenError, messageOf } from '../../errors';
import { maskInLog } from '../../formats/mask';
import type { Setting } from '../../settings/table';
import { systemCode } from '../../system-errors';
import { warn } from '../../text';
import { getToken } from '../../token/get-token';
import { REMEMBERED_MS } from '../../token/last-failure';
import type { Query, TokenAnswer } from '../../token/query';
import { freshUntilMs, type Token } from '../../token/token';
import type { World } from '../../world';

/** Pause after a failure, and longest pause between two looks: timers stop while a laptop sleeps. */
const LONGEST_PAUSE_MS = 10_000;
/** Shortest pause after a renewal. */
const SHORTEST_PAUSE_MS = 1_000;

/**
 * Does the work while the file contains a valid token. Renews the file, and removes it afterwards, only if it
 * still contains the last token of this run.
 *
 * @param queryAgain returns the query for a renewal, because a login may have replaced the credentials
 * @param work calls `begin` before it starts the command. `begin` writes the file, and throws if it cannot
 */
export async function withTokenFile<T>(
  path: string,
  { token: first, query: { minTtl } }: TokenAnswer,
  queryAgain: () => Query,
  world: World,
  work: (begin: () => void) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let token = first;

  /** Renews the token; resolves with false if the file is no longer this run's to renew. */
  const renew = async (): Promise<boolean> => {
    // No spinner, because the command uses the terminal.
    const query = { ...queryAgain(), attempts: 1, freshOnly: true, signal: ended.signal };
    const { token: next } = await getToken(query, world);
    if (ended.signal.aborted) return false;
    if (next.accessToken !== token.accessToken) {
      if (isTakenOver(path, token.accessToken, world)) {
        warn(world, `${path} has another run's token by now; this run no longer renews it`);
        return false;
      }
      maskInLog(next.accessToken, world);
      world.replaceFile(path, next.accessToken, true);
    }
    token = next;
    return true;
  };

  const keepValid = async (): Promise<void> => {
    let failures = 0;
    let isReported = false;
    let leastPauseMs = 0;
    for (;;) {
      const dueMs = dueInMs(token, minTtl, world.now());
      await world.sleep(Math.max(leastPauseMs, Math.min(dueMs, LONGEST_PAUSE_MS)));
      if (ended.signal.aborted) return;
      if (dueInMs(token, minTtl, world.now()) > 0) continue;
      try {
        if (!(await renew())) return;
        failures = 0;
        isReported = false;
        leastPauseMs = SHORTEST_PAUSE_MS;
      } catch (thrown) {
        if (ended.signal.aborted) return;
        const error = thrown instanceof GwtokenError ? thrown : undefined;
        failures++;
        leastPauseMs = error?.kind === 'refused' ? REMEMBERED_MS : LONGEST_PAUSE_MS;
        // An endpoint that returns one token until its end has another within two such pauses.
        if (error?.retry?.isExact && failures <= 2) leastPauseMs = error.retry.afterMs ?? 0;
        else if (!isReported) {
          isReported = true;
          warn(world, `the token file still has the last token: ${messageOf(thrown)}`);
        }
      }
    }
  };

  try {
    return await work(() => {
      world.replaceFile(path, token.accessToken, true);
      void keepValid();
    });
  } finally {
    ended.abort();
    world.removeFile(path, token.accessToken);
  }
}

/** Returns whether the file contains another text than the last token, such as the token of another run. */
function isTakenOver(path: string, last: string, { readFile }: Pick<World, 'readFile'>): boolean {
  try {
    return Buffer.from(readFile(path, last.length)).toString() !== last;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** Returns the time until a renewal is due; infinity if the token has no expiry, and so is never renewed. */
function dueInMs(token: Token, minTtl: Setting<number> | undefined, nowMs: number): number {
  const untilMs = freshUntilMs(token, minTtl);
  if (untilMs === undefined) return Number.POSITIVE_INFINITY;
  // After the clock was set back, the token's age is unknown.
  return nowMs < token.requestedAtMs ? 0 : untilMs - nowMs;
}
