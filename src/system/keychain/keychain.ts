/** The OS keychain through keytar, which is loaded in a child program alone: each call starts one. */

import type { Keychain } from '../../world/keychain';
import { askChild, canAnswerDialog, type KeychainWorld } from './ask';
import { collectionOnBus } from './bus';
import { keychainError } from './errors';

export function openKeychain(world: KeychainWorld): Keychain {
  return {
    probe: async (limitMs) => String(await askChild({ op: 'probe' }, limitMs, world)),
    async get(account, limitMs) {
      const value = await askChild({ op: 'get', account }, limitMs, world);
      if (typeof value === 'string') return value;
      await checkReadable(limitMs, world);
      return undefined;
    },
    async set(account, value, limitMs) {
      await askChild({ op: 'set', account, value }, limitMs, world);
    },
    async delete(account, limitMs) {
      if (await askChild({ op: 'delete', account }, limitMs, world)) return true;
      await checkReadable(limitMs, world);
      return false;
    },
  };
}

/** On Linux "not there" may mean that the keyring is locked, or that there is none yet: the bus can tell. */
async function checkReadable(limitMs: number | undefined, world: KeychainWorld): Promise<void> {
  const { platform, env } = world;
  if (platform !== 'linux') return;
  const state = await collectionOnBus(env);
  // None of the programs that could ask is there: a locked keyring shows itself when something is to be stored.
  if (state === 'unknown') await askChild({ op: 'probe' }, limitMs, world);
  if (state === 'locked') throw keychainError('locked', platform);
  // Where a person can answer, the keychain asks for a new keyring's password at the first login.
  if (state === 'no-collection' && !canAnswerDialog(world)) throw keychainError(state, platform);
}
