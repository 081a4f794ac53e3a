/**
 * DNS lookups. A lookup inside Node cannot be cancelled: while DNS is silent it keeps the program alive for as long as
 * the system keeps trying (10 s per name server), past every timeout, and even past process.exit. So on Linux getent(1)
 * does it, in a process that can be killed: the same getaddrinfo, the same nsswitch.conf. Without it, and on other
 * systems, a child of our own does, which takes longer to start.
 */

import type { ChildProcess, CommonSpawnOptions, ForkOptions } from 'node:child_process';
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { systemCode } from '../../errors';
import type { Env } from '../../world';
import { helperEnvironment } from '../processes/helper-program';
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

/** Looks names up for `net.connect()`, until the signal is aborted. */
export function endableLookup(resolver: Resolver, signal: AbortSignal): LookupFunction {
  return asLookup(async (host, options) => {
    const mayAskGetent = resolver.platform === 'linux' && !host.startsWith('-');
    const found = mayAskGetent ? await lookupByGetent(host, options, resolver, signal) : undefined;
    return found ?? (await lookupInChild(host, options, resolver, signal));
  });
}

/** `http:` is allowed only on this machine, so `localhost` must resolve to it. */
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

/** Resolves with undefined if there is no getent. */
async function lookupByGetent(
  host: string,
  options: LookupOptions,
  { env }: Resolver,
  signal: AbortSignal,
): Promise<LookupAddress[] | undefined> {
  const { execFile } = await import('node:child_process');
  const startedAtMs = performance.now();
  const own = { env: helperEnvironment(env, ...RESOLVER_VARIABLES), signal };
  let child: ChildProcess | undefined;
  const ended = new Promise<{ error: unknown; stdout: string }>((resolve) => {
    child = execFile('getent', ['ahosts', host], own, (error, stdout) => resolve({ error, stdout }));
  });
  const { error, stdout } = await ended.catch((error: unknown) => ({ error, stdout: '' }));
  if (signal.aborted) {
    // Node has sent SIGTERM, which it ignores if gwtoken was started so.
    child?.kill('SIGKILL');
    throw new Error('closed');
  }
  const addresses = addressesIn(stdout);
  if (addresses.length > 0) return addresses;
  if (systemCode(error) === 'ENOENT') return undefined;
  // getent does not say why it failed. A lookup here does, and is quick now.
  if (performance.now() - startedAtMs < SILENT_AFTER_MS) return await lookupHere(host, options);
  throw Object.assign(new Error('DNS does not answer'), { code: 'EAI_AGAIN' });
}

/** `192.0.2.1  STREAM name` and its like, once for each kind of socket. */
function addressesIn(stdout: string): LookupAddress[] {
  const addresses = new Set(stdout.split('\n').map((line) => line.split(/\s/, 1)[0] ?? ''));
  return [...addresses]
    .map((address) => ({ address, family: isIP(address) }))
    .filter(({ family }) => family !== 0);
}

async function lookupInChild(
  host: string,
  options: LookupOptions,
  { env, lookupChild }: Resolver,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const { fork } = await import('node:child_process');
  const [module = '', ...args] = lookupChild;
  const own: ForkOptions & CommonSpawnOptions = {
    env: helperEnvironment(env, ...RESOLVER_VARIABLES),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
    signal,
  };
  let child: ChildProcess | undefined;
  const answered = new Promise<LookupAnswer | undefined>((resolve) => {
    child = fork(module, args, own);
    child.once('message', (message) => resolve(message as LookupAnswer));
    for (const event of ['error', 'exit']) child.on(event, () => resolve(undefined));
    const { family, hints } = options;
    const request: LookupRequest = { hostname: host, options: { family, hints } };
    // In Bun, a child that could not be started has no channel; its error follows.
    child.send?.(request);
  });
  const answer = await answered.catch(() => undefined);
  child?.kill('SIGKILL');
  if (signal.aborted) throw new Error('closed');
  if (answer !== undefined && !('addresses' in answer))
    throw Object.assign(new Error(answer.message), { code: answer.code });
  // A child that cannot be started, or crashes, is no reason to fail.
  return answer === undefined || answer.addresses.length === 0
    ? await lookupHere(host, options)
    : answer.addresses;
}
