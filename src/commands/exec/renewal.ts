/** The file of `exec --token-file`: it has a valid token for as long as the command runs. */
import { GwtokenError, messageOf, systemCode } from '../../errors';
import { maskToken } from '../../formats/mask';
import type { Setting } from '../../settings/table';
import { warn } from '../../text';
import { getToken } from '../../token/get-token';
import type { Query, TokenAnswer } from '../../token/query';
import { expiresAtMs, freshUntilMs, type Token } from '../../token/token';
import type { World } from '../../world';

/** Longest pause between two looks: a laptop may sleep, and its timers with it. */
const LOOK_MS = 30_000;
/** Shortest pause after a failure. */
const SHORTEST_MS = 10_000;
/**
 * Pause just after the token has expired, and for how long. An endpoint that returns one token until its end
 * gives whole seconds, so the last of them may not be over yet.
 */
const EXPIRED_PAUSE_MS = 500;
const JUST_EXPIRED_MS = 2000;
/** Pause after a refusal: repeated ones can lock the client out, whose new secret others may use already. */
const REFUSAL_MS = 300_000;

/**
 * Does the work while the file has a valid token. It is renewed, and removed afterwards, only while it still
 * has the last one.
 *
 * @param resolveAgain looks the credentials up again: a secret's file may have changed
 * @param work calls `begin` before it starts the command. Then the file is written, which may throw
 */
export async function withTokenFile<T>(
  path: string,
  { token: first, query: { minTtl } }: TokenAnswer,
  resolveAgain: () => Query,
  world: World,
  work: (begin: () => void) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let token = first;

  const renew = async (): Promise<void> => {
    // The command has the terminal: no spinner, and a failure is retried by the next look.
    const query = { ...resolveAgain(), fresh: true, attempts: 1, signal: ended.signal };
    const { token: next } = await getToken(query, world);
    if (ended.signal.aborted) return;
    if (next.accessToken !== token.accessToken) {
      if (isTakenOver(path, token.accessToken, world)) {
        warn(world, `${path} has another run's token by now; this run no longer renews it`);
        ended.abort();
        return;
      }
      maskToken(next.accessToken, world);
      world.replaceFile(path, next.accessToken);
    }
    token = next;
  };
  const keepValid = async (): Promise<void> => {
    let failure: unknown;
    while (!ended.signal.aborted) {
      const isRefused = failure instanceof GwtokenError && failure.kind === 'refused';
      await world.sleep(isRefused ? REFUSAL_MS : pauseMs(token, minTtl, world.now()));
      if (ended.signal.aborted || dueInMs(token, minTtl, world.now()) > 0) continue;
      try {
        await renew();
        failure = undefined;
      } catch (error) {
        const leftMs = lifeLeftMs(token, world.now());
        if (error instanceof GwtokenError && error.reason === 'just-expired' && leftMs > -JUST_EXPIRED_MS)
          continue;
        if (failure === undefined && !ended.signal.aborted)
          warn(world, `the token file still has the last token: ${messageOf(error)}`);
        failure = error;
      }
    }
  };

  try {
    return await work(() => {
      world.replaceFile(path, token.accessToken);
      void keepValid();
    });
  } finally {
    ended.abort();
    world.removeFile(path, token.accessToken);
  }
}

/** Tells if something else is there than the last token: another run may have the same file. */
function isTakenOver(path: string, last: string, { readFile }: Pick<World, 'readFile'>): boolean {
  try {
    return Buffer.from(readFile(path, last.length)).toString() !== last;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/** Returns the time until a renewal is due; a token without an expiry is never renewed. */
function dueInMs(token: Token, minTtl: Setting<number> | undefined, nowMs: number): number {
  // A clock that was set back says nothing of the token's age.
  if (nowMs < token.requestedAtMs) return 0;
  return (freshUntilMs(token, minTtl) ?? Number.POSITIVE_INFINITY) - nowMs;
}

/**
 * Returns the time until the next look: until a renewal is due or, if one failed, half of what is left, but not
 * beyond the token's end.
 */
function pauseMs(token: Token, minTtl: Setting<number> | undefined, nowMs: number): number {
  const dueMs = dueInMs(token, minTtl, nowMs);
  if (dueMs > 0) return Math.min(dueMs, LOOK_MS);
  const leftMs = lifeLeftMs(token, nowMs);
  if (leftMs <= 0) return leftMs > -JUST_EXPIRED_MS ? EXPIRED_PAUSE_MS : SHORTEST_MS;
  return Math.min(Math.max(leftMs / 2, SHORTEST_MS), leftMs, LOOK_MS);
}

/** Returns the time until the token expires, in ms; negative once it has expired. */
function lifeLeftMs(token: Token, nowMs: number): number {
  return (expiresAtMs(token) ?? nowMs) - nowMs;
}
