/** Keeps a valid token in the file of `exec --token-file` while the command runs. */
import { GwtokenError, messageOf } from '../../errors';
import { maskInLog } from '../../formats/mask';
import type { Setting } from '../../settings/table';
import { systemCode } from '../../system-errors';
import { warn } from '../../text';
import { getToken } from '../../token/get-token';
import type { Query, TokenAnswer } from '../../token/query';
import { expiresAtMs, freshUntilMs, type Token } from '../../token/token';
import type { World } from '../../world';

/** Longest pause between two checks, because timers stop while a laptop sleeps. */
const LONGEST_PAUSE_MS = 30_000;
/** Shortest pause between two checks of a token that is due. */
const SHORTEST_PAUSE_MS = 500;
/** Pause after a refusal. Repeated refusals can lock the client out. */
const REFUSAL_PAUSE_MS = 300_000;

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
    const query = { ...queryAgain(), freshOnly: true, signal: ended.signal };
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
    /** The error of the last renewal, if it failed. */
    let problem: unknown;
    for (;;) {
      const isRefused = problem instanceof GwtokenError && problem.kind === 'refused';
      await world.sleep(isRefused ? REFUSAL_PAUSE_MS : pauseMs(token, minTtl, world.now()));
      if (ended.signal.aborted) return;
      if (dueInMs(token, minTtl, world.now()) > 0) continue;
      try {
        if (!(await renew())) return;
        problem = undefined;
      } catch (error) {
        if (ended.signal.aborted) return;
        // Of several failures in a row, only the first is reported.
        if (problem === undefined)
          warn(world, `the token file still has the last token: ${messageOf(error)}`);
        problem = error;
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

/**
 * Returns the time until the next check: until a renewal is due, then half of the time to or since the
 * token's end. So checks are closest around the end, when an endpoint may return another token.
 */
function pauseMs(token: Token, minTtl: Setting<number> | undefined, nowMs: number): number {
  const dueMs = dueInMs(token, minTtl, nowMs);
  if (dueMs > 0) return Math.min(dueMs, LONGEST_PAUSE_MS);
  const halfMs = Math.abs(expiresAtMs(token)! - nowMs) / 2;
  return Math.min(Math.max(halfMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}
