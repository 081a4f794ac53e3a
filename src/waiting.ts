/** Decides who can answer prompts, how long gwtoken waits for answers, and how a signal ends a wait. */
import { CREDENTIAL_VARIABLE } from './client';
import { ENDING_SIGNALS, Interrupted } from './errors';
import type { Env, Output, World } from './world';

/** Returns whether this is a CI job, in which nobody can answer: CI is set, and neither `0` nor `false`. */
export function isCi(env: Env): boolean {
  return !['', '0', 'false'].includes(env['CI'] ?? '');
}

/** Returns whether a person reads stderr. stdin does not count, because it may be a pipe of the caller. */
export function hasPerson({ env, stderr }: { env: Env; stderr: Pick<Output, 'isTTY'> }): boolean {
  return stderr.isTTY() && !isCi(env);
}

/**
 * Returns whether clients come from environment variables here rather than from `gwtoken login`: in CI, without
 * a session bus (in containers and cron jobs, where login finds no keychain), and where a variable for
 * credentials exists.
 */
export function isHeadless({ env, platform }: Surroundings): boolean {
  if (isCi(env) || Object.keys(env).some((name) => CREDENTIAL_VARIABLE.test(name))) return true;
  return platform === 'linux' && !env['DBUS_SESSION_BUS_ADDRESS'] && !env['XDG_RUNTIME_DIR'];
}

/** The environment and, unless only the quick path runs, the platform. */
export type Surroundings = Pick<World, 'env'> & Partial<Pick<World, 'platform'>>;

/** Default of `keychain-timeout`. A person needs time to unlock the keychain, and a job should not wait. */
export const ANSWER_WITHIN_MS = { person: 60_000, nobody: 10_000 };

/** The longest timeout that a setting accepts. */
export const LONGEST_LIMIT_MS = 3_600_000;

/**
 * Runs `work`; rejects with Interrupted when a signal arrives that would end gwtoken. `work` must clean up
 * synchronously when its signal is aborted, because gwtoken exits without awaiting it.
 */
export async function untilSignal<T>(
  onSignals: World['onSignals'],
  work: (cancelled: AbortSignal) => Promise<T>,
): Promise<T> {
  const cancel = new AbortController();
  let release = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    release = onSignals(ENDING_SIGNALS, (signal) => {
      reject(new Interrupted(signal));
      cancel.abort(new Interrupted(signal));
    });
  });
  try {
    return await Promise.race([work(cancel.signal), interrupted]);
  } finally {
    release();
  }
}

/** Runs work while a lock is held. Releases the lock afterwards, or at once if the work is cancelled. */
export async function withHeldLock<T>(
  release: () => void,
  signal: AbortSignal | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  // gwtoken may exit before cancelled work ends.
  signal?.addEventListener('abort', release);
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    signal?.removeEventListener('abort', release);
    release();
  }
}
