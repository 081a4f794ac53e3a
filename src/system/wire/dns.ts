/**
 * DNS lookups. A lookup inside Node cannot be cancelled: while DNS is silent, it keeps the program alive for
 * as long as the system tries (10 s per name server), past every timeout and even past process.exit. So on
 * Linux getent(1), if it is installed, does the lookup in a process that can be killed. It uses the same
 * getaddrinfo and nsswitch.conf.
 */
import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { systemCode } from '../../system-errors';
import { cleaned } from '../../text';
import type { Env } from '../../world';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** Resolves with at least one address of a name, or rejects. */
type Find = (host: string, options: LookupOptions) => Promise<LookupAddress[]>;

/** The addresses of `localhost`, which need no lookup (RFC 6761 section 6.3). */
const LOCALHOST: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Returns the function that finds the addresses of a name for node:net, until the signal is aborted. node:net
 * takes all addresses, because it tries one after another.
 */
export function lookupUntil(
  signal: AbortSignal,
  { platform, env }: { readonly platform: NodeJS.Platform; readonly env: Env },
  trace: (line: string) => void,
): LookupFunction {
  const findOther = platform === 'linux' ? findByGetent(env, signal) : findHere;
  const find: Find = async (host, options) => {
    trace(`looking up ${host}`);
    const found = host === 'localhost' ? LOCALHOST : await findOther(host, options);
    trace(`the addresses of ${host}: ${cleaned(found.map(({ address }) => address).join(', '))}`);
    return found;
  };
  return (host, options, callback) => {
    find(host, options).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

const findHere: Find = (host, options) => dns.lookup(host, { ...options, all: true });

/** Returns a function that finds addresses by getent, until the signal is aborted. */
export function findByGetent(env: Env, signal: AbortSignal): Find {
  const helperEnv = helperEnvironment(env, 'RES_OPTIONS', 'LOCALDOMAIN', 'HOSTALIASES');
  return async (host, options) => {
    const { error, stdout } = await runHelper('getent', ['ahosts', host], helperEnv, signal);
    signal.throwIfAborted();
    // A line is like `192.0.2.1  STREAM name`; there is one for each kind of socket.
    const words = stdout.split('\n').map((line) => line.split(/\s/, 1)[0] ?? '');
    const found = [...new Set(words.filter(isIP))];
    if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
    // getent could not be started: it is not installed, or a limit of the system is reached.
    if (systemCode(error) !== undefined) return await findHere(host, options);
    // getent does not say whether DNS does not know the name or did not answer.
    throw Object.assign(new Error('getent did not find the name'), { code: 'ENOTFOUND' });
  };
}
