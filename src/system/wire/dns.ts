/**
 * DNS lookups. A lookup inside Node cannot be cancelled: while DNS is silent it keeps the program alive for as long as
 * the system keeps trying (10 s per name server), past every timeout, and even past process.exit. So on Linux getent(1)
 * does it, in a process that can be killed: the same getaddrinfo, the same nsswitch.conf. Where it is missing, and on
 * other systems, a child of our own does, which takes longer to start.
 */

import type { CommonSpawnOptions, ForkOptions } from 'node:child_process';
import { type LookupAddress, lookup as lookupHere } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { systemCode } from '../../errors';
import type { Env } from '../../world';
import { helperEnvironment } from '../processes/privacy';
import type { LookupAnswer, LookupRequest } from './lookup-child';

/** What the resolver reads from the environment. */
const RESOLVER_VARIABLES = ['RES_OPTIONS', 'LOCALDOMAIN', 'HOSTALIASES'];

/** A failure after this long means that DNS is silent; a second lookup, for the reason, would hang. */
const SILENT_AFTER_MS = 2000;

interface Resolver {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly lookupChild: readonly string[];
}

/** @param cut ends the lookup when it is aborted */
export function endableLookup({ env, platform, lookupChild }: Resolver, cut: AbortSignal): LookupFunction {
  return (hostname, wanted, callback) => {
    const here = (): void => lookupHere(hostname, wanted, callback);
    const childEnv = helperEnvironment(env, ...RESOLVER_VARIABLES);
    const found = (addresses: LookupAddress[], first: LookupAddress): void =>
      wanted.all ? callback(null, addresses) : callback(null, first.address, first.family);
    const closed = (): void => callback(new Error('closed'), []);
    const byChild = (): void => {
      import('node:child_process')
        .then(({ fork }) => {
          const [module = '', ...args] = lookupChild;
          const options: ForkOptions & CommonSpawnOptions = {
            env: childEnv,
            execArgv: [],
            stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
            windowsHide: true,
            signal: cut,
          };
          const child = fork(module, args, options);
          let isOver = false;
          const end = (how: () => void): void => {
            if (isOver) return;
            isOver = true;
            child.kill('SIGKILL');
            how();
          };
          // A child that cannot be started, or crashes, is no reason to fail.
          const broken = (): void => end(cut.aborted ? closed : here);
          child.on('error', broken).on('exit', broken);
          child.on('message', (message) => {
            const answer = message as LookupAnswer;
            if (!('addresses' in answer)) {
              const { code, message } = answer;
              return end(() => callback(Object.assign(new Error(message), { code }), []));
            }
            const [first] = answer.addresses;
            if (first) end(() => found(answer.addresses, first));
            else broken();
          });
          const request: LookupRequest = {
            hostname,
            options: { family: wanted.family, hints: wanted.hints },
          };
          // In Bun, a child that could not be started has no channel; its error follows.
          child.send?.(request);
        })
        .catch(here);
    };
    if (platform !== 'linux' || hostname.startsWith('-')) return byChild();
    const startedAtMs = performance.now();
    import('node:child_process')
      .then(({ execFile }) => {
        const options = { env: childEnv, signal: cut };
        const child = execFile('getent', ['ahosts', hostname], options, (error, stdout) => {
          if (cut.aborted) {
            // Node has sent SIGTERM, which it ignores where gwtoken was started so.
            child.kill('SIGKILL');
            return closed();
          }
          const addresses = addressesIn(stdout);
          const first = addresses[0];
          if (first) return found(addresses, first);
          if (systemCode(error) === 'ENOENT') return byChild();
          // getent does not say why it failed. A lookup here does, and is quick now.
          if (performance.now() - startedAtMs < SILENT_AFTER_MS) return here();
          return callback(Object.assign(new Error('DNS does not answer'), { code: 'EAI_AGAIN' }), []);
        });
      })
      .catch(here);
  };
}

/** `192.0.2.1  STREAM name` and its like, once for each kind of socket. */
function addressesIn(stdout: string): { address: string; family: number }[] {
  const addresses = new Set(stdout.split('\n').map((line) => line.split(/\s/, 1)[0] ?? ''));
  return [...addresses]
    .map((address) => ({ address, family: isIP(address) }))
    .filter(({ family }) => family !== 0);
}

/** `http:` is allowed only on this machine, so `localhost` must resolve to it. */
export const loopbackOnly: LookupFunction = (hostname, options, callback) => {
  lookupHere(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [], 0);
    const local = addresses.filter(({ address }) => address === '::1' || address.startsWith('127.'));
    const first = local[0];
    if (!first)
      return callback(Object.assign(new Error('not a loopback address'), { code: 'ENOTLOOPBACK' }), [], 0);
    return options.all ? callback(null, local) : callback(null, first.address, first.family);
  });
};
