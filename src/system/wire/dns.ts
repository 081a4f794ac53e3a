/**
 * DNS lookups. A lookup inside Node cannot be cancelled: while DNS is silent it keeps the program alive for
 * as long as the system keeps trying (10 s per name server), past every timeout, and even past process.exit.
 * So on Linux getent(1) does it, where it is installed, in a process that can be killed: the same
 * getaddrinfo, the same nsswitch.conf.
 */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { systemCode } from '../../system-errors';
import type { Env } from '../../world';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** If getent takes this long to fail, DNS is silent, and a second lookup, for the reason, would hang. */
const SILENT_AFTER_MS = 2000;

interface Resolver {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
}

/** Looks names up for `net.connect()`, until the signal is aborted. */
export function endableLookup(resolver: Resolver, signal: AbortSignal): LookupFunction {
  const env = helperEnvironment(resolver.env, 'RES_OPTIONS', 'LOCALDOMAIN', 'HOSTALIASES');
  return asLookup(async (host, options) => {
    const mayAskGetent = resolver.platform === 'linux' && !host.startsWith('-');
    const found = mayAskGetent ? await lookupByGetent(host, options, env, signal) : undefined;
    return found ?? (await lookupHere(host, options));
  });
}

/** The lookup for `http:`, which is allowed only on this machine: `localhost` must resolve to it. */
export const loopbackOnly: LookupFunction = asLookup(async (host, options) => {
  const addresses = await lookupHere(host, options);
  const local = addresses.filter(({ address }) => address === '::1' || address.startsWith('127.'));
  if (local.length > 0) return local;
  throw Object.assign(new Error('not a loopback address'), { code: 'ENOTLOOPBACK' });
});

/** Adapts a function that finds at least one address, or rejects, to the callback of node:net. */
function asLookup(
  find: (host: string, options: LookupOptions) => Promise<readonly LookupAddress[]>,
): LookupFunction {
  return (host, options, callback) => {
    find(host, options).then(
      (addresses) => {
        const { address = '', family } = addresses[0] ?? {};
        if (options.all) callback(null, [...addresses]);
        else callback(null, address, family);
      },
      (error) => callback(error, []),
    );
  };
}

function lookupHere(host: string, options: LookupOptions): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

/** Looks a name up by getent; resolves with undefined if there is none. */
async function lookupByGetent(
  host: string,
  options: LookupOptions,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<LookupAddress[] | undefined> {
  const startedAtMs = performance.now();
  const { error, stdout } = await runHelper('getent', ['ahosts', host], env, signal);
  if (signal.aborted) throw new Error('closed');
  // A line is like `192.0.2.1  STREAM name`; there is one for each kind of socket.
  const found = new Set(stdout.split('\n').map((line) => line.split(/\s/, 1)[0] ?? ''));
  const addresses = [...found].map((address) => ({ address, family: isIP(address) }));
  const valid = addresses.filter(({ family }) => family !== 0);
  if (valid.length > 0) return valid;
  if (systemCode(error) === 'ENOENT') return undefined;
  // getent does not say why it failed. A lookup here does, and is quick now.
  if (performance.now() - startedAtMs < SILENT_AFTER_MS) return await lookupHere(host, options);
  throw Object.assign(new Error('DNS does not answer'), { code: 'EAI_AGAIN' });
}
