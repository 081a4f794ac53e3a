/** Whether somebody is there to answer, and how long gwtoken waits for an answer (contract section 2). */
import type { Env, Input, Output } from './world/streams';

/** Whether this is a CI job, where nobody can answer: CI is set, and neither `0` nor `false`. */
export function isCi(env: Env): boolean {
  return !['', '0', 'false'].includes(env['CI'] ?? '');
}

/** Why nobody can be prompted, as the end of a sentence; undefined where somebody can. */
export function noPrompt({
  env,
  stdin,
  stderr,
}: {
  env: Env;
  stdin: Pick<Input, 'isTTY'>;
  stderr: Pick<Output, 'isTTY'>;
}): string | undefined {
  if (!stdin.isTTY()) return 'stdin is not a terminal';
  if (!stderr.isTTY()) return 'stderr is not a terminal';
  if (env['TERM'] === 'dumb') return 'TERM is "dumb"';
  return isCi(env) ? 'CI is set' : undefined;
}

/** Whether a person reads what stands on stderr. stdin tells nothing: it may be a pipe of the caller's. */
export function hasPerson({ env, stderr }: { env: Env; stderr: Pick<Output, 'isTTY'> }): boolean {
  return stderr.isTTY() && !isCi(env);
}

/**
 * How long the keychain or a credential command may take where no `keychain-timeout` is set, in milliseconds: a person
 * needs time to unlock a vault; where nobody is, what asks should not hold up a job.
 */
export const ANSWER_WITHIN_MS = { person: 60_000, nobody: 10_000 };

export function answerWithinMs(person: boolean): number {
  return ANSWER_WITHIN_MS[person ? 'person' : 'nobody'];
}

/** The longest time limit that a setting takes, in milliseconds. */
export const LONGEST_LIMIT_MS = 3_600_000;

/** The `keychain-timeout` to try where this one was too short, as it is written: twice that, as far as a setting goes. */
export function longerTimeout(limitMs: number): string {
  return `${Math.min(2 * Math.ceil(limitMs / 1000), LONGEST_LIMIT_MS / 1000)}s`;
}
