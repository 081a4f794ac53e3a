/** The OS keychain through keytar. Each call starts a child process, the only program that loads keytar. */
import type { Keychain } from '../../world';
import type { KeychainWorld } from './ask';
import type { Request, Result } from './operations';

/** Returns the keychain. Its code is loaded by the first call. */
export function openKeychain(world: KeychainWorld): Keychain {
  const send = async (request: Request, limitMs?: number, signal?: AbortSignal): Promise<Result> =>
    (await import('./ask')).ask(request, limitMs, world, signal);
  return {
    async probe(limitMs) {
      await send({ op: 'probe' }, limitMs);
    },
    async get(account, limitMs, signal) {
      return (await send({ op: 'get', account }, limitMs, signal)).value;
    },
    async set(account, value, limitMs) {
      return (await send({ op: 'set', account, value }, limitMs)).found;
    },
    async delete(account, limitMs) {
      const result = await send({ op: 'delete', account }, limitMs);
      if (result.found) return 'removed';
      return result.mayBeHidden ? 'hidden' : 'absent';
    },
    async accounts(limitMs) {
      return (await send({ op: 'accounts' }, limitMs)).accounts ?? [];
    },
  };
}
