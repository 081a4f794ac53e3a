/** The OS keychain through keytar, which is loaded only in a child process: each call starts one. */

import type { Keychain } from '../../world';
import type { KeychainWorld } from './ask';
import type { Request, Value } from './child';

/** Returns the keychain; what asks it is loaded with the first call. */
export function openKeychain(world: KeychainWorld): Keychain {
  const send = async (request: Request, limitMs?: number, signal?: AbortSignal): Promise<Value> =>
    (await import('./ask')).ask(request, limitMs, world, signal);
  return {
    async probe(limitMs) {
      await send({ op: 'probe' }, limitMs);
    },
    async get(account, limitMs, signal) {
      const value = await send({ op: 'get', account }, limitMs, signal);
      return typeof value === 'string' ? value : undefined;
    },
    async set(account, value, limitMs) {
      return (await send({ op: 'set', account, value }, limitMs)) === true;
    },
    async delete(account, limitMs) {
      return (await send({ op: 'delete', account }, limitMs)) === true;
    },
  };
}
