/** The slice of the World that a start with a cached token needs: these files are loaded at every start. */
import type { WarmWorld, World } from '../world';
import { openConfig } from './files/config-file';
import { folderOf, type Host } from './files/paths';
import { readLimited } from './files/read-file';
import { NO_TOKENS, openTokens } from './files/token-cache';
import { sha256 } from './form';

export interface WarmStart {
  readonly warm: WarmWorld & Pick<World, 'config' | 'clients' | 'tokens'>;
  /** Undefined if there is no home directory. */
  readonly folders: { readonly config: string | undefined; readonly cache: string | undefined };
  readonly host: Host;
}

/** Returns that slice; nothing is read yet. */
export function openWarm(
  proc: Pick<NodeJS.Process, 'env' | 'platform' | 'geteuid' | 'pid' | 'kill'>,
): WarmStart {
  const { env, platform } = proc;
  const host: Host = { platform, uid: proc.geteuid?.(), env, proc };
  const folders = { config: folderOf('config', env, platform), cache: folderOf('cache', env, platform) };
  const warm = {
    env,
    ...openConfig(folders.config, host),
    tokens: folders.cache === undefined ? NO_TOKENS : openTokens(folders.cache, host),
    now: Date.now,
    readFile: readLimited,
    sha256,
    trace() {},
  };
  return { warm, folders, host };
}

/** Makes SIGUSR1 end the process, as elsewhere: Node would open its debugger to every user of the machine. */
export function closeDebugger(proc: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (proc.platform === 'win32') return;
  const nothing = (): void => {};
  // A listener replaces Node's own handler, and removing the last listener removes every handler.
  proc.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
}
