/** The surroundings of a run: variables for its directories, a CI system, a person, a session. */
import { mayHoldCredentials } from './client';
import type { Env, Output, World } from './world';

export type Surroundings = Pick<World, 'env' | 'platform'>;

export const DIRECTORY_VARIABLES = { config: 'GWTOKEN_CONFIG_DIR', cache: 'GWTOKEN_CACHE_DIR' };

/** Returns whether this is a CI job, in which nobody can answer: CI is set, and neither `0` nor `false`. */
export function isCi(env: Env): boolean {
  return !['', '0', 'false'].includes(env['CI'] ?? '');
}

/** Returns whether a person reads stderr. stdin does not count, because it may be a pipe of the caller. */
export function hasPerson({ env, stderr }: { env: Env; stderr: Pick<Output, 'isTTY'> }): boolean {
  return stderr.isTTY() && !isCi(env);
}

/** Returns a variable's name for comparison: in capitals on Windows, which ignores the case. */
export function variableName(name: string, platform: Surroundings['platform']): string {
  return platform === 'win32' ? name.toUpperCase() : name;
}

/** Returns the variable with the proxy's URL for https: URLs; undefined if none is set. */
export function proxyVariable(env: Env): string | undefined {
  return ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
}

/**
 * Returns whether clients come from environment variables here rather than from `gwtoken login`: in CI,
 * without a session bus (in containers and cron jobs, where login finds no keychain), and where a variable
 * for credentials exists, even an empty one: somebody meant to set it.
 */
export function prefersVariables({ env, platform }: Surroundings): boolean {
  if (isCi(env) || Object.keys(env).some(mayHoldCredentials)) return true;
  return platform === 'linux' && !env['DBUS_SESSION_BUS_ADDRESS'] && !env['XDG_RUNTIME_DIR'];
}

/**
 * Longest wait for the keychain or the credential command if `keychain-timeout` is not set. A person needs
 * time to unlock the keychain, and a job should not wait.
 */
export const ANSWER_WITHIN_MS = { person: 60_000, nobody: 10_000 };

/** The hint after that time, for the keychain and for a credential command. */
export const ANSWER_ITS_DIALOG = 'answer its dialog, or export GWTOKEN_KEYCHAIN_TIMEOUT=2m';
