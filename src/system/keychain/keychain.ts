/** The OS keychain through keytar, which is loaded only in a child process: each call starts one. */

import { GwtokenError } from '../../errors';
import type { Keychain, KeychainReason } from '../../world';
import { askChild, type KeychainWorld, type Value } from './ask';
import { collectionOnBus, type ItemState, isHidingOnBus, itemOnBus } from './bus';
import type { Request } from './child';
import { keychainError } from './errors';

export function openKeychain(world: KeychainWorld): Keychain {
  const { env, platform } = world;
  const onLinux = platform === 'linux';
  return {
    async probe(limitMs) {
      try {
        await ask({ op: 'probe' }, limitMs, world);
      } catch (error) {
        if (onLinux && hasReason(error, 'denied')) await checkKeyring(world);
        throw error;
      }
    },
    async get(account, limitMs, signal) {
      const value = await find({ op: 'get', account }, limitMs, world, signal);
      return typeof value === 'string' ? value : undefined;
    },
    async set(account, value, limitMs) {
      for (let isRepeated = false; ; isRepeated = true) {
        try {
          const before = await ask({ op: 'set', account, value }, limitMs, world);
          // The same value comes from a first attempt with a wrong key, which could not read it back.
          return typeof before === 'string' && before !== value ? before : undefined;
        } catch (error) {
          if (!onLinux || !hasReason(error, 'denied')) throw error;
          await checkKeyring(world);
          // The item can be read, so another login came between, or the session's key was wrong.
          if (isRepeated || (await itemOnBus(account, env)) !== 'present') throw error;
        }
      }
    },
    async delete(account, limitMs) {
      const deleted = await find({ op: 'delete', account }, limitMs, world);
      // Of two items with one name, libsecret deletes the one that it may see, and reports success.
      if (deleted === true && onLinux) checkNotThere(await itemOnBus(account, env), world);
      return deleted === true;
    },
  };
}

/**
 * Asks the child, and once more if the session's key was wrong: KWallet 5 agrees on a wrong one in one
 * session of a hundred. It then refuses the session, cannot decrypt a value, or returns null for it.
 */
async function ask(
  request: Request,
  limitMs: number | undefined,
  world: KeychainWorld,
  signal?: AbortSignal,
): Promise<Value> {
  try {
    return await askChild(request, limitMs, world, signal);
  } catch (error) {
    if (!hasReason(error, 'key-mismatch')) throw error;
    return await askChild(request, limitMs, world, signal);
  }
}

/** Returns the child's answer, which is null or false only if the item is certainly absent. */
async function find(
  request: Extract<Request, { op: 'get' | 'delete' }>,
  limitMs: number | undefined,
  world: KeychainWorld,
  signal?: AbortSignal,
): Promise<Value> {
  for (let isRepeated = false; ; isRepeated = true) {
    const answer = await ask(request, limitMs, world, signal);
    const isAbsent = answer === null || answer === false;
    if (!isAbsent || world.platform !== 'linux') return answer;
    // First, since KeePassXC opens its unlock dialog again for a search while no database is open.
    const keyring = await checkKeyring(world);
    // No program here can ask the bus, but storing an item shows if the keyring is locked.
    if (keyring === 'unknown') await ask({ op: 'probe' }, limitMs, world, signal);
    const item = await itemOnBus(request.account, world.env);
    // It can be read, so the session may have had the wrong key.
    if (item === 'present' && !isRepeated) continue;
    checkNotThere(item, world);
    if (await isHidingOnBus(world.env)) throw keychainError('hidden', world.platform);
    return answer;
  }
}

/** Tells if an error has a reason. libsecret's `denied` may also mean a keyring that is locked or absent. */
function hasReason(error: unknown, reason: KeychainReason): boolean {
  return error instanceof GwtokenError && error.reason === reason;
}

/**
 * Asks the bus about the keyring: on Linux "not there" may mean that it is locked, or that there is none.
 *
 * @throws GwtokenError `keychain` in these cases
 */
async function checkKeyring({ env, platform }: KeychainWorld): Promise<'unlocked' | 'unknown'> {
  const keyring = await collectionOnBus(env);
  if (keyring === 'locked' || keyring === 'no-collection') throw keychainError(keyring, platform);
  return keyring;
}

/** Throws if an item that libsecret does not return, or has deleted, is there. */
function checkNotThere(item: ItemState, { platform }: KeychainWorld): void {
  if (item === 'locked') throw keychainError('locked', platform);
  if (item === 'present' || item === 'guarded') throw keychainError('denied', platform);
}
