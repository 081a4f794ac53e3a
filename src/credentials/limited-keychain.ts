import { resolveSetting } from '../settings/resolve';
import type { Given } from '../settings/setting';
import { SETTINGS } from '../settings/table';
import type { Keychain } from '../world/keychain';
import type { World } from '../world/world';

/** The keychain under the time limit that the settings give (`keychain-timeout`). */
export function limitedKeychain(given: Given, { keychain }: Pick<World, 'keychain'>): Keychain {
  const limitMs = resolveSetting(SETTINGS.keychainTimeoutMs, given, undefined)?.value;
  return {
    probe: () => keychain.probe(limitMs),
    get: (account) => keychain.get(account, limitMs),
    set: (account, value) => keychain.set(account, value, limitMs),
    delete: (account) => keychain.delete(account, limitMs),
  };
}
