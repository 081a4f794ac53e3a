/** The part of the World for a run with a cached token. This file and its imports load at each start. */
import type { DirectoryKind, QuickWorld, World } from '../world';
import { hmac } from './distribution';
import { openConfig } from './files/config-file';
import { directoryOf, type Host } from './files/paths';
import { readRegular } from './files/read-file';
import { NO_CACHE, openTokens } from './files/token-cache';

/** The quick path's World, and facts that the whole World needs too. */
export interface QuickStart {
  readonly quickWorld: QuickWorld & Pick<World, 'config' | 'clients' | 'tokens'>;
  readonly directories: Readonly<Record<DirectoryKind, ReturnType<typeof directoryOf>>>;
  readonly host: Host;
}

/** Returns the quick path's World without reading any file. */
export function openQuickWorld(proc: Pick<NodeJS.Process, 'env' | 'platform' | 'geteuid'>): QuickStart {
  const { env, platform } = proc;
  const host: Host = { platform, uid: proc.geteuid?.() };
  const config = directoryOf('config', env, platform);
  const cache = directoryOf('cache', env, platform);
  // A relative path in either variable fails each command that reads the settings. Without a home directory,
  // there are no settings in files, and no cache.
  const relative = [cache, config].find((each) => typeof each !== 'string' && each.reason !== 'no-home');
  const quickWorld = {
    env,
    platform,
    ...openConfig(relative ?? config, host),
    tokens: typeof cache === 'string' ? openTokens(cache, host) : NO_CACHE,
    now: Date.now,
    readFile: (path: string, limit: number) => readRegular(path, limit).bytes,
    hmac,
    trace() {},
  };
  return { quickWorld, directories: { config, cache }, host };
}

/** Makes SIGUSR1 end the process, because Node would open its debugger to all users of the machine. */
export function disableDebuggerSignal(proc: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (proc.platform === 'win32') return;
  const ignore = (): void => {};
  // Adding a listener replaces Node's own handler; removing the last one restores the system's default.
  proc.on('SIGUSR1', ignore).off('SIGUSR1', ignore);
}
