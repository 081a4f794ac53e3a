/**
 * The whole World, once the quick way has not been enough. Each line says what it depends on; the heavy parts are
 * loaded when they are first used.
 */
import { fstatSync } from 'node:fs';
import { GwtokenError } from '../errors';
import type { Output, WarmWorld, World } from '../world';
import { readKnownClients } from './known-clients';
import type { Machine } from './machine';
import { fileIn } from './paths';
import { readAll } from './read-all';
import { writeAll } from './streams';

/** Node's own streams, touched only by what needs them: `process.stdin` alone keeps a terminal open. */
export type Standard = () => Pick<NodeJS.Process, 'stdin' | 'stderr' | 'getBuiltinModule'>;

export function openWorld(
  standard: Standard,
  version: string,
  warm: WarmWorld,
  folders: { readonly config: string | undefined; readonly cache: string | undefined },
  machine: Machine,
): World {
  const { env } = warm;
  const { platform } = machine;
  const isatty = (descriptor: number): boolean => isTerminal(descriptor, platform, standard);
  const { config, cache } = folders;
  const output = (descriptor: number): Output => ({
    isTTY: () => isatty(descriptor),
    write: (text) => writeAll(descriptor, text),
  });
  const isLively = isatty(2) && !env['CI'] && env['TERM'] !== 'dumb';
  const ownFolder = (): string => {
    if (config !== undefined) return config;
    throw new GwtokenError('usage', 'there is no home folder to keep the configuration in', {
      hints: ['set HOME, or GWTOKEN_CONFIG_DIR to a folder of your own'],
    });
  };
  const inConfig = (name: string): string | undefined => fileIn(config, name, platform);
  const store = () => import('./config-store');
  const keychain = async () => (await import('./keychain')).keychain;
  const cacheWriter = () => import('./token-cache-writer');
  const terminal = async () => (await import('./terminal')).openTerminal(standard());

  return {
    ...warm,
    version,
    platform,
    stdin: { isTTY: () => isatty(0), read: (limit) => readAll(standard().stdin, limit) },
    stdout: output(1),
    stderr: output(2),
    terminal: {
      canAsk: () => isLively && isatty(0),
      ask: async (...question) => (await terminal()).ask(...question),
      askSecret: async (...question) => (await terminal()).askSecret(...question),
      choose: async (...question) => (await terminal()).choose(...question),
      confirm: async (...question) => (await terminal()).confirm(...question),
      spin: async (label, work) => (isLively ? (await terminal()).spin(label, work) : work()),
      paint: async (stream) => (await import('./colour')).painter(env, isatty(stream === 'stdout' ? 1 : 2)),
    },
    config: {
      path: () => inConfig('config.json'),
      read: warm.config.read,
      edit: async (edits) => (await store()).editConfig(ownFolder(), machine, edits),
      checkWritable: async () => (await store()).checkWritable(ownFolder(), 'config', machine),
    },
    clients: {
      path: () => inConfig('clients.json'),
      read: () => readKnownClients(inConfig('clients.json'), machine),
      add: async (name, entry) => (await store()).addKnownClient(ownFolder(), machine, name, entry),
      remove: async (names) => (await store()).removeKnownClients(ownFolder(), machine, names),
    },
    tokens: {
      read: warm.tokens.read,
      write: async (client, text) =>
        cache === undefined ? 'ENOHOME' : (await cacheWriter()).writeEntry(cache, client, machine, text),
      async remove(passes) {
        if (cache !== undefined) (await cacheWriter()).removeEntries(cache, machine, passes);
      },
      takeTurn: async (client) =>
        cache === undefined ? undefined : (await cacheWriter()).takeTurn(cache, client, machine),
    },
    keychain: {
      probe: async () => (await keychain()).probe(),
      get: async (account) => (await keychain()).get(account),
      set: async (account, value) => (await keychain()).set(account, value),
      delete: async (account) => (await keychain()).delete(account),
    },
    fetch: async (url, init) => (await import('./http')).post(url, init),
  };
}

/** node:tty brings all of node:net along, 5 ms at every start: most often stdout and stderr are no devices at all. */
function isTerminal(descriptor: number, platform: NodeJS.Platform, standard: Standard): boolean {
  if (platform !== 'win32' && !isDevice(descriptor)) return false;
  return standard().getBuiltinModule('node:tty').isatty(descriptor);
}

function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}
