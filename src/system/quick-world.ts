/** The slice of the World that a start with a cached token needs: these files are loaded at every start. */
import type { QuickWorld, World } from '../world';
import { openConfig } from './files/config-file';
import { directoryOf, type Host } from './files/paths';
import { readRegular } from './files/read-file';
import { NO_CACHE, openTokens } from './files/token-cache';
import { hmac } from './form';

export interface QuickStart {
  readonly quickWorld: QuickWorld & Pick<World, 'config' | 'clients' | 'tokens'>;
  /** Undefined if there is no home directory. */
  readonly directories: { readonly config: string | undefined; readonly cache: string | undefined };
  readonly host: Host;
}

/** Returns that slice; nothing is read yet. */
export function openQuickWorld(proc: Pick<NodeJS.Process, 'env' | 'platform' | 'geteuid'>): QuickStart {
  const { env, platform } = proc;
  const host: Host = { platform, uid: proc.geteuid?.() };
  const directories = {
    config: directoryOf('config', env, platform),
    cache: directoryOf('cache', env, platform),
  };
  const quickWorld = {
    env,
    ...openConfig(directories.config, host),
    tokens: directories.cache === undefined ? NO_CACHE : openTokens(directories.cache, host),
    now: Date.now,
    readFile: (path: string, limit: number) => readRegular(path, limit).bytes,
    hmac,
    trace() {},
  };
  return { quickWorld, directories, host };
}

/** Makes SIGUSR1 end the process, as elsewhere: Node would open its debugger to every user of the machine. */
export function disableDebuggerSignal(proc: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (proc.platform === 'win32') return;
  const nothing = (): void => {};
  // A listener replaces Node's own handler, and removing the last listener removes every handler.
  proc.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
}
