/**
 * DNS lookups. A lookup inside Node cannot be cancelled: while DNS is silent it keeps the program alive for
 * as long as the system keeps trying (10 s per name server), past every timeout, and even past process.exit.
 * So on Linux getent(1) does it, where it is installed, in a process that can be killed: the same
 * getaddrinfo, the same nsswitch.conf.
 */
import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { systemCode } from '../../errors';
import type { Env } from '../../world';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** Finds at least one address of a name, or rejects. */
export type Find = (host: string, options: LookupOptions) => Promise<LookupAddress[]>;

/** If getent needs longer than this to fail, DNS is silent: asking Node for the reason would hang. */
const SILENT_AFTER_MS = 2000;

/** Makes the function that node:net takes; where it tries one address after the other, it wants them all. */
export function asLookup(find: Find): LookupFunction {
  return (host, options, callback) => {
    find(host, options).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

/** Finds addresses inside Node. */
export const findHere: Find = (host, options) => dns.lookup(host, { ...options, all: true });

/** Finds addresses for `http:`, which is allowed only on this machine: `localhost` must resolve to it. */
export const findOnLoopback: Find = async (host, options) => {
  const addresses = await findHere(host, options);
  const local = addresses.filter(({ address }) => address === '::1' || address.startsWith('127.'));
  if (local.length > 0) return local;
  throw Object.assign(new Error('not a loopback address'), { code: 'ENOTLOOPBACK' });
};

/** Returns a function that finds addresses by getent, until the signal is aborted. */
export function findByGetent(env: Env, signal: AbortSignal): Find {
  const helperEnv = helperEnvironment(env, 'RES_OPTIONS', 'LOCALDOMAIN', 'HOSTALIASES');
  return async (host, options) => {
    const startedAtMs = performance.now();
    const { error, stdout } = await runHelper('getent', ['ahosts', host], helperEnv, signal);
    signal.throwIfAborted();
    // A line is like `192.0.2.1  STREAM name`; there is one for each kind of socket.
    const words = stdout.split('\n').map((line) => line.split(/\s/, 1)[0] ?? '');
    const found = [...new Set(words.filter(isIP))];
    if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
    // getent does not say why it failed. A lookup here does, and is quick now.
    if (systemCode(error) === 'ENOENT' || performance.now() - startedAtMs < SILENT_AFTER_MS)
      return await findHere(host, options);
    throw Object.assign(new Error('DNS does not answer'), { code: 'EAI_AGAIN' });
  };
}
