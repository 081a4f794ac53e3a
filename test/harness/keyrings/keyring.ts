import type { ChildProcess } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../needs';
import { attributesOf, type CollectionState, lockCollection, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startSession } from './session';

export interface KeyringOptions {
  /** `none`: a provider without any collection. `no-provider`: a session bus without a secret service. */
  readonly state: 'unlocked' | 'locked' | 'none' | 'no-provider';
  /** Account -> secret, stored under the service `gwtoken` before anything is locked. */
  readonly seed?: Readonly<Record<string, string>>;
}

export interface Keyring {
  /** HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS; never a display, so that nothing can ask a person. */
  readonly env: Environment;
  /** The secret of an account, read by secret-tool and not by our own code. Undefined: absent or locked. */
  lookup(account: string): Promise<string | undefined>;
  /** Stores as a user would by hand, with the schema attribute that keytar looks for. */
  store(account: string, secret: string): Promise<void>;
  /** Locks the default collection. */
  lock(): Promise<void>;
  /** Logs out and in again, which unlocks it. */
  unlock(): Promise<void>;
  /** Removes an item, or does nothing where there is none. */
  clear(account: string): Promise<unknown>;
}

/** Starts a session bus and a gnome-keyring that nobody else sees, in the state asked for. */
export async function startKeyring({ state, seed = {} }: KeyringOptions): Promise<Keyring> {
  const { dir, env, withPath, start } = await startSession();
  let daemon: ChildProcess | undefined;
  const startDaemon = async (options: readonly string[], wanted: CollectionState) => {
    const started = start(privateDaemon(dir), ['--foreground', '--components=secrets', ...options]);
    daemon = started;
    started.stdin?.end('the password of a throwaway keyring');
    await untilCollection(wanted, withPath);
  };
  if (state === 'none') await startDaemon([], 'no collection');
  else if (state !== 'no-provider') await startDaemon(['--unlock'], 'unlocked');

  const store = async (account: string, secret: string) => {
    const label = [`--label=gwtoken/${account}`, 'xdg:schema', 'org.freedesktop.Secret.Generic'];
    await run('secret-tool', ['store', ...label, ...attributesOf(account)], withPath, secret);
  };
  for (const [account, secret] of Object.entries(seed)) await store(account, secret);
  if (state === 'locked') await lockCollection(withPath);
  return {
    env,
    lookup: (account) =>
      run('secret-tool', ['lookup', ...attributesOf(account)], withPath).catch(() => undefined),
    store,
    clear: (account) => run('secret-tool', ['clear', ...attributesOf(account)], withPath).catch(() => {}),
    lock: () => lockCollection(withPath),
    async unlock() {
      if (daemon) await endHelper(daemon);
      await startDaemon(['--unlock'], 'unlocked');
    },
  };
}

/** Copies the daemon without Debian's file capability, which would undo the parent-death signal. */
function privateDaemon(dir: string): string {
  const copy = join(dir, 'gnome-keyring-daemon');
  copyFileSync(onPath('gnome-keyring-daemon') ?? 'gnome-keyring-daemon', copy);
  return copy;
}
