/** The person who could answer, and how long one is waited for; in a CI job there is none. */
import type { Env, Output } from './world';

/** Returns whether this is a CI job, in which nobody can answer: CI is set, and neither `0` nor `false`. */
export function isCi(env: Env): boolean {
  return !['', '0', 'false'].includes(env['CI'] ?? '');
}

/** The reason why a variable is empty in a job, more often than not. */
export const FORKS_GET_NO_SECRETS = 'CI systems withhold secrets from forks';

export const CI_HELP = 'for CI examples, run: gwtoken help ci';

/** Returns whether a person reads stderr. stdin tells nothing: it may be a pipe of the caller's. */
export function hasPerson({ env, stderr }: { env: Env; stderr: Pick<Output, 'isTTY'> }): boolean {
  return stderr.isTTY() && !isCi(env);
}

/** The default of `keychain-timeout`: a person needs time to unlock a vault, and a dialog should not hold up a job. */
export function answerWithinMs(person: boolean): number {
  return person ? 60_000 : 10_000;
}

/** The longest time limit that a setting takes. */
export const LONGEST_LIMIT_MS = 3_600_000;

/** The `keychain-timeout` to try if this one was too short, as it is written. */
export function longerTimeout(limitMs: number): string {
  return `${Math.min(2 * Math.ceil(limitMs / 1000), LONGEST_LIMIT_MS / 1000)}s`;
}
