/** Only what a start with a cached token needs: these files are loaded at every start. */
import type { WarmWorld } from '../world';
import { readConfig, readKnownClients } from './files/config-file';
import { cacheFolder, configFolder, fileIn, type Machine } from './files/paths';
import { readLimited } from './files/read-file';
import { readEntry } from './files/token-cache';
import { sha256 } from './form';

export interface Opened {
  readonly warm: WarmWorld;
  /** Undefined if there is no home directory. */
  readonly folders: { readonly config: string | undefined; readonly cache: string | undefined };
  readonly machine: Machine;
}

/** Reads nothing yet. */
export function openWarm(
  own: Pick<NodeJS.Process, 'env' | 'platform' | 'geteuid' | 'getBuiltinModule' | 'pid' | 'kill'>,
): Opened {
  const { env, platform } = own;
  const machine: Machine = { platform, uid: own.geteuid?.(), env, own };
  const folders = { config: configFolder(env, platform), cache: cacheFolder(env, platform) };
  const warm: WarmWorld = {
    env,
    config: { read: () => readConfig(fileIn(folders.config, 'config.json', platform), machine) },
    clients: { read: () => readKnownClients(fileIn(folders.config, 'clients.json', platform), machine) },
    tokens: {
      read: (client) => (folders.cache === undefined ? {} : readEntry(folders.cache, client, machine)),
    },
    now: Date.now,
    readFile: readLimited,
    sha256: (text, key) => sha256(own, text, key),
    trace() {},
  };
  return { warm, folders, machine };
}

/**
 * From here on SIGUSR1 ends the process, as it does other programs, instead of opening Node's debugger on 127.0.0.1 to
 * every user of the machine.
 */
export function closeDebugger(own: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (own.platform === 'win32') return;
  const nothing = (): void => {};
  // A listener replaces Node's own handler, and removing the last listener removes every handler.
  own.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
}
