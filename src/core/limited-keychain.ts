import type { World } from '../world';
import type { Keychain } from '../world/keychain';
import { resolveKeychainTimeoutMs } from './fetch-settings';
import type { Given } from './settings';

/** The keychain under the time limit that the settings give (`keychain-timeout`). */
export function limitedKeychain(given: Given, { keychain }: Pick<World, 'keychain'>): Keychain {
  const limitMs = resolveKeychainTimeoutMs(given)?.value;
  return {
    probe: () => keychain.probe(limitMs),
    get: (account) => keychain.get(account, limitMs),
    set: (account, value) => keychain.set(account, value, limitMs),
    delete: (account) => keychain.delete(account, limitMs),
  };
}
