import type { ChildProcess } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../needs';
import { attributesOf, type CollectionState, lockCollection, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startSession } from './session';

export interface KeyringOptions {
  /** `none`: a service without a collection. `no-provider`: a session bus without a secret service. */
  readonly state: 'unlocked' | 'locked' | 'none' | 'no-provider';
  /** Secrets by account, stored under the service `gwtoken` before the keyring is locked. */
  readonly seed?: Readonly<Record<string, string>>;
}

/** A running gnome-keyring. */
export interface Keyring {
  /** The variables PATH, HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS. Without DISPLAY no program can open a dialog. */
  readonly env: Environment;
  /** Reads an account's secret with secret-tool; undefined if the item is absent or locked. */
  lookup(account: string): Promise<string | undefined>;
  /** Stores a secret with secret-tool, with the schema attribute that keytar looks for. */
  store(account: string, secret: string): Promise<void>;
  /** Locks the default collection. */
  lock(): Promise<void>;
  /** Logs out and in again, which unlocks the default collection. */
  unlock(): Promise<void>;
  /** Removes an account's item if it exists. */
  clear(account: string): Promise<unknown>;
}

/** Limit for gwtoken's keychain calls. On a busy machine with few processors, one may exceed the default of 10 s. */
export const UNHURRIED = { GWTOKEN_KEYCHAIN_TIMEOUT: '30s' };

/** Starts a separate session bus and a gnome-keyring in this state. */
export async function startKeyring({ state, seed = {} }: KeyringOptions): Promise<Keyring> {
  const { dir, env, start } = await startSession();
  let daemon: ChildProcess | undefined;
  const startDaemon = async (options: readonly string[], wanted: CollectionState) => {
    const started = start(privateDaemon(dir), ['--foreground', '--components=secrets', ...options]);
    daemon = started;
    started.stdin?.end('the password of a throwaway keyring');
    await untilCollection(wanted, env);
  };
  if (state === 'none') await startDaemon([], 'no collection');
  else if (state !== 'no-provider') await startDaemon(['--unlock'], 'unlocked');

  const store = async (account: string, secret: string) => {
    const label = [`--label=gwtoken/${account}`, 'xdg:schema', 'org.freedesktop.Secret.Generic'];
    await run('secret-tool', ['store', ...label, ...attributesOf(account)], env, secret);
  };
  for (const [account, secret] of Object.entries(seed)) await store(account, secret);
  if (state === 'locked') await lockCollection(env);
  return {
    env,
    lookup: (account) => run('secret-tool', ['lookup', ...attributesOf(account)], env).catch(() => undefined),
    store,
    clear: (account) => run('secret-tool', ['clear', ...attributesOf(account)], env).catch(() => {}),
    lock: () => lockCollection(env),
    async unlock() {
      if (daemon) await endHelper(daemon);
      await startDaemon(['--unlock'], 'unlocked');
    },
  };
}

/** Copies the daemon to drop Debian's file capability, which would disable the parent-death signal. */
function privateDaemon(dir: string): string {
  const copy = join(dir, 'gnome-keyring-daemon');
  copyFileSync(onPath('gnome-keyring-daemon') ?? 'gnome-keyring-daemon', copy);
  return copy;
}
