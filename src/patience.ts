/** The person who could answer a prompt or unlock a keychain, and how long it is waited for one. */
import type { Env, Output } from './world';

/** Whether this is a CI job, in which nobody can answer: CI is set, and neither `0` nor `false`. */
export function isCi(env: Env): boolean {
  return !['', '0', 'false'].includes(env['CI'] ?? '');
}

/** Whether a person reads stderr. stdin tells nothing: it may be a pipe of the caller's. */
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
