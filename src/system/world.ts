/**
 * The whole World, once the quick way has not been enough. Each line says what it depends on; the heavy parts are
 * loaded when they are first used.
 */

import { fstatSync } from 'node:fs';
import { GwtokenError } from '../errors';
import { isCi } from '../person';
import { oneLine } from '../text';
import type { Output } from '../world/streams';
import type { World } from '../world/world';
import { openAppender } from './files/append-file';
import { readKnownClients } from './files/config-file';
import { fileIn, tokenFilesFolder } from './files/paths';
import { readAll } from './files/read-file';
import { hasUnicode, loadedPlain, painter } from './terminal/capabilities';
import type { Signalled, Standard } from './terminal/prompts';
import { writeAll } from './terminal/streams';
import type { Opened } from './warm';
import type { Wire } from './wire/wire';

type Builtins = Pick<NodeJS.Process, 'getBuiltinModule'>;

/** `close` ends what would keep the program: connections that were opened ahead. */
export function openWorld(
  own: Standard &
    Signalled &
    Pick<NodeJS.Process, 'arch' | 'env' | 'platform' | 'version' | 'versions'> &
    Builtins,
  version: string,
  { warm, folders, machine }: Opened,
): { readonly world: World; close(): Promise<void> } {
  const { env } = warm;
  const { platform } = machine;
  const isatty = (descriptor: number): boolean => isTerminal(descriptor, platform, own);
  const { config, cache } = folders;
  const output = (descriptor: number): Output => ({
    isTTY: () => isatty(descriptor),
    write: (text) => writeAll(descriptor, text),
  });
  const isDrawable = (): boolean => isatty(2) && env['TERM'] !== 'dumb';
  const ownFolder = (): string => {
    if (config !== undefined) return config;
    throw new GwtokenError('usage', 'there is no home folder to keep the configuration in', {
      hints: ['set HOME, or GWTOKEN_CONFIG_DIR to a folder of your own'],
    });
  };
  const inConfig = (name: string): string | undefined => fileIn(config, name, platform);
  const store = () => import('./files/config-store');
  const keychain = async () =>
    (await import('./keychain/keychain')).openKeychain({
      platform,
      env,
      stderr: world.stderr,
      childPath: `${__dirname}/keychain-child.cjs`,
    });
  const cacheWriter = () => import('./files/token-cache-writer');
  let opened: Promise<Wire> | undefined;
  let closed = false;
  const wire = (): Promise<Wire> => {
    opened ??= import('./wire/wire').then(({ openWire }) =>
      openWire({
        env: own.env,
        platform,
        nodeVersion: own.versions.node,
        warn: (text) => world.warn(text),
      }),
    );
    return opened;
  };
  const terminal = async () => {
    const load = () => import('./terminal/prompts');
    const unicode = hasUnicode(env, platform);
    const { openTerminal } = await (unicode ? load() : loadedPlain(own.env, load));
    return openTerminal(own, own, unicode);
  };

  const world: World = {
    ...warm,
    version,
    platform,
    stdin: { isTTY: () => isatty(0), read: (limit) => readAll(own.stdin, limit) },
    stdout: output(1),
    stderr: output(2),
    terminal: {
      canAsk: () => isatty(0) && isDrawable() && !isCi(env),
      hasUnicode: () => hasUnicode(env, platform),
      ask: async (...question) => (await terminal()).ask(...question),
      askSecret: async (...question) => (await terminal()).askSecret(...question),
      choose: async (...question) => (await terminal()).choose(...question),
      confirm: async (...question) => (await terminal()).confirm(...question),
      spin: async (label, work) =>
        isDrawable() && !isCi(env) ? (await terminal()).spin(label, work) : work(),
      paint: async (stream) => painter(env, isatty(stream === 'stdout' ? 1 : 2)),
    },
    config: {
      path: () => inConfig('config.json'),
      read: warm.config.read,
      edit: async (edits) => (await store()).editConfig(ownFolder(), machine, edits),
      checkWritable: async () => (await store()).checkWritable(ownFolder(), machine),
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
    runCredentialCommand: async (command, options) =>
      (await import('./processes/credential-command')).runCredentialCommand(command, options, own),
    keychain: {
      probe: async (...call) => (await keychain()).probe(...call),
      get: async (...call) => (await keychain()).get(...call),
      set: async (...call) => (await keychain()).set(...call),
      delete: async (...call) => (await keychain()).delete(...call),
    },
    probes: {
      system: () => `Node ${own.version} on ${platform} ${own.arch}`,
      folder: async (which) => (await import('./files/folders')).probeFolder(which, folders[which], machine),
    },
    fetch: async (url, init) => (await wire()).fetch(url, init),
    warmUp(url, options) {
      // After what the caller starts next: a keychain's child has the longer way, and its start does not wait for ours.
      setImmediate(() => {
        if (closed) return;
        wire()
          .then(({ warmUp }) => warmUp(url, options))
          .catch(() => {});
      });
    },
    async checkCaFile(path) {
      await (await import('./wire/authorities')).readCaFile(path);
    },
    appender: openAppender,
    onSignals(signals, heard) {
      for (const signal of signals) own.on(signal, heard);
      return () => {
        for (const signal of signals) own.off(signal, heard);
      };
    },
    prepareChild: async () =>
      (await import('./processes/exec-child')).prepareChild(world.onSignals, platform),
    async createTokenFile(text) {
      const folder = tokenFilesFolder(cache, platform);
      if (folder === undefined) {
        throw new GwtokenError('local', 'there is no home folder to keep a token file in', {
          hints: ['set HOME, or GWTOKEN_CACHE_DIR to a folder of your own'],
        });
      }
      const { createTokenFile, ownerOf } = await import('./files/token-files');
      return createTokenFile(folder, ownerOf(own), machine, text);
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    after(ms, work) {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    warn: (text) => world.stderr.write(`gwtoken: warning: ${oneLine(text)}\n`),
  };
  const close = async (): Promise<void> => {
    closed = true;
    (await opened)?.close();
  };
  return { world, close };
}

/** node:tty brings all of node:net along, 5 ms at every start: most often stdout and stderr are no devices at all. */
function isTerminal(descriptor: number, platform: NodeJS.Platform, own: Builtins): boolean {
  if (platform !== 'win32' && !isDevice(descriptor)) return false;
  return own.getBuiltinModule('node:tty').isatty(descriptor);
}

function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}
