/** The OS keychain through keytar, which is loaded only in a child process: each call starts one. */

import { GwtokenError } from '../../errors';
import type { Env, Keychain, KeychainReason } from '../../world';
import { askChild, type KeychainWorld } from './ask';
import type { Request, Value } from './child';
import { keychainError } from './errors';
import { keyringState } from './keyring-state';
import { withSessionBus } from './session-bus';

export function openKeychain(world: KeychainWorld): Keychain {
  return {
    async probe(limitMs) {
      await ask({ op: 'probe' }, limitMs, world);
    },
    async get(account, limitMs, signal) {
      const value = await ask({ op: 'get', account }, limitMs, world, signal);
      return typeof value === 'string' ? value : undefined;
    },
    async set(account, value, limitMs) {
      const before = await ask({ op: 'set', account, value }, limitMs, world);
      // Empty is what a session with a wrong key leaves behind.
      return before ? String(before) : undefined;
    },
    async delete(account, limitMs) {
      return (await ask({ op: 'delete', account }, limitMs, world)) === true;
    },
  };
}

/**
 * Asks the child. On Linux its "not there" and "denied" are the keyring's if that is locked, or if there is
 * none. An answer may also come from a session with a wrong key, as KWallet 5 agrees on in one of a hundred:
 * it then refuses the session, or an item is read as not there. The next session has another key.
 */
async function ask(
  request: Request,
  limitMs: number | undefined,
  world: KeychainWorld,
  signal?: AbortSignal,
): Promise<Value> {
  const { platform, uid } = world;
  if (platform !== 'linux') return await askChild(request, limitMs, world, signal);
  const env = withSessionBus(world.env, uid);
  const askOnce = (): Promise<Value> => askChild(request, limitMs, { ...world, env }, signal);
  try {
    const value = await askOnce();
    // What was there before a login may well be nothing.
    if ((value !== null && value !== false) || request.op === 'set') return value;
    await checkKeyring(env);
    return value === null ? await askOnce() : value;
  } catch (error) {
    if (hasReason(error, 'denied')) await checkKeyring(env);
    if (!hasReason(error, 'key-mismatch')) throw error;
    return await askOnce();
  }
}

function hasReason(error: unknown, reason: KeychainReason): boolean {
  return error instanceof GwtokenError && error.reason === reason;
}

/** Throws if the keyring is locked, or if there is none. */
async function checkKeyring(env: Env): Promise<void> {
  const state = await keyringState(env);
  if (state === 'locked') throw keychainError('locked', 'linux');
  if (state === 'none') throw keychainError('no-collection', 'linux');
}
