import { resolveKeychainTimeoutMs } from '../settings/fetch-settings';
import type { Given } from '../settings/setting';
import type { Keychain } from '../world/keychain';
import type { World } from '../world/world';

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
