/** The OS keychain through keytar, which is loaded only in a child process: each call starts one. */

import { GwtokenError } from '../../errors';
import type { Keychain } from '../../world';
import { askChild, type KeychainWorld, SESSIONS } from './ask';
import { collectionOnBus, type ItemState, isHidingOnBus, itemOnBus } from './bus';
import type { Request } from './child';
import { keychainError } from './errors';

export function openKeychain(world: KeychainWorld): Omit<Keychain, 'checkInstalled'> {
  return {
    async probe(limitMs) {
      try {
        return String(await askChild({ op: 'probe' }, limitMs, world));
      } catch (error) {
        if (isDenied(error, world)) await checkKeyring(world);
        throw error;
      }
    },
    async get(account, limitMs, ended) {
      const value = await find({ op: 'get', account }, limitMs, world, ended);
      return typeof value === 'string' ? value : undefined;
    },
    async set(account, value, limitMs) {
      for (let session = 1; ; session++) {
        try {
          const before = await askChild({ op: 'set', account, value }, limitMs, world);
          return typeof before === 'string' ? before : undefined;
        } catch (error) {
          if (!isDenied(error, world)) throw error;
          await checkKeyring(world);
          if (session === SESSIONS || (await itemOnBus(account, world.env)) !== 'present') throw error;
          // Nobody can have denied it: another login has stored the old value again, or the session had the wrong key.
        }
      }
    },
    async delete(account, limitMs) {
      const deleted = await find({ op: 'delete', account }, limitMs, world);
      if (deleted === true && world.platform === 'linux') await checkGone(account, world);
      return deleted === true;
    },
    isGuarded: async (account) =>
      world.platform === 'linux' && (await itemOnBus(account, world.env)) === 'guarded',
  };
}

/** What the child answers; null or false only once the item is surely absent. */
async function find(
  request: Extract<Request, { op: 'get' | 'delete' }>,
  limitMs: number | undefined,
  world: KeychainWorld,
  ended?: AbortSignal,
): Promise<string | boolean | null> {
  for (let session = 1; ; session++) {
    const answer = await askChild(request, limitMs, world, ended);
    const isAbsent = answer === null || answer === false;
    if (!isAbsent || world.platform !== 'linux') return answer;
    // First, since KeePassXC opens its unlock dialog again for a search while no database is open.
    const keyring = await checkKeyring(world);
    // None of the programs that can query the bus is installed: a locked keyring shows itself when something is to be stored.
    if (keyring === 'unknown') await askChild({ op: 'probe' }, limitMs, world, ended);
    const item = await itemOnBus(request.account, world.env);
    // In an open keyring, for everyone to read: the session may have had the wrong key.
    if (item === 'present' && session < SESSIONS) continue;
    checkNotThere(item, world);
    if (await isHidingOnBus(world.env)) throw keychainError('hidden', world.platform);
    return answer;
  }
}

/** Of two items with the same name, libsecret deletes the one that it may see, and reports success. */
async function checkGone(account: string, world: KeychainWorld): Promise<void> {
  checkNotThere(await itemOnBus(account, world.env), world);
}

/** "Denied" of libsecret's, which says the same where the keyring stays locked, or where there is none. */
function isDenied(error: unknown, { platform }: KeychainWorld): boolean {
  return platform === 'linux' && error instanceof GwtokenError && error.reason === 'denied';
}

/** On Linux "not there" may mean that the keyring is locked, or that there is none: the bus can tell. */
async function checkKeyring({ env, platform }: KeychainWorld): Promise<'unlocked' | 'unknown'> {
  const keyring = await collectionOnBus(env);
  if (keyring === 'locked' || keyring === 'no-collection') throw keychainError(keyring, platform);
  return keyring;
}

/** For an item that libsecret does not return, or has deleted. */
function checkNotThere(item: ItemState, { platform }: KeychainWorld): void {
  if (item === 'locked') throw keychainError('locked', platform);
  if (item === 'present' || item === 'guarded') throw keychainError('denied', platform);
}
