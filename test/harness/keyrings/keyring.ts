import type { ChildProcess } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onCleanup } from '../clean-up';
import { openFolder } from '../homes/folder';
import { onPath, privateHome, programsAvailable } from './private-home';
import { lockCollection, untilCollection } from './secret-service';
import { type Environment, endHelper, run, startHelper, startSessionBus } from './session-bus';

export interface KeyringOptions {
  /**
   * `unlocked`, `locked`: a default collection, holding `seed`. `none`: a provider without any collection.
   * `no-provider`: a session bus that nobody provides secrets on.
   */
  readonly state: 'unlocked' | 'locked' | 'none' | 'no-provider';
  /** Account -> secret, stored under the service `gwtoken` before anything is locked. */
  readonly seed?: Readonly<Record<string, string>>;
}

export interface Keyring {
  /** HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS; never a display, so that nothing can ask a person. */
  readonly env: Environment;
  readonly home: string;
  /** The provider's, for a test that freezes it; undefined for `no-provider`. */
  readonly daemonPid: number | undefined;
  /** The secret of an account, read by secret-tool and not by our own code. Undefined: absent or locked. */
  lookup(account: string): Promise<string | undefined>;
  /** Stores as a user would by hand, with the schema attribute that keytar looks for. */
  store(account: string, secret: string): Promise<void>;
  /** What secret-tool finds of a service: its items' attributes and values. Empty when there are none. */
  search(service: string): Promise<string>;
  /** Locks the default collection. */
  lock(): Promise<void>;
  /** Removes an item, or does nothing where there is none. */
  clear(account: string): Promise<void>;
  /** Ends what was started, by pid, and removes the folder: done at the test's end if it was not done before. */
  stop(): Promise<void>;
}

/** Debian's package for each program that is needed. */
const NEEDED = {
  'gnome-keyring-daemon': 'gnome-keyring',
  'dbus-daemon': 'dbus-daemon',
  'dbus-send': 'dbus-bin',
  'secret-tool': 'libsecret-tools',
  setpriv: 'util-linux',
} as const;

/** Why a keyring cannot be started here, worded for `ctx.skip()`; undefined when it can. */
export const keyringAvailable = (): string | undefined => programsAvailable(NEEDED);

/** Starts a session bus and a gnome-keyring that nobody else sees, in the state asked for. */
export async function startKeyring({ state, seed = {} }: KeyringOptions): Promise<Keyring> {
  const dir = openFolder();
  const helpers: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(helpers.map(endHelper));
    rmSync(dir, { recursive: true, force: true });
  };

  onCleanup(stop);
  const item = (account: string) => ['service', 'gwtoken', 'account', account];

  try {
    const home = privateHome(dir);
    const path = { PATH: process.env['PATH'] ?? '' };
    const { bus, address } = await startSessionBus(dir, { ...path, ...home });
    helpers.push(bus);
    const env = { ...home, DBUS_SESSION_BUS_ADDRESS: address };
    const withPath = { ...path, ...env };

    let daemon: ChildProcess | undefined;
    if (state !== 'no-provider') {
      const unlock = state === 'none' ? [] : ['--unlock'];
      daemon = startHelper(privateDaemon(dir), ['--foreground', '--components=secrets', ...unlock], withPath);
      helpers.push(daemon);
      daemon.stdout?.resume();
      daemon.stdin?.end('the password of a throwaway keyring');
      const provider = daemon;
      const isRunning = () => (provider.exitCode ?? provider.signalCode) === null;
      await untilCollection(state === 'none' ? 'no collection' : 'unlocked', withPath, isRunning);
    }

    const store = async (account: string, secret: string) => {
      const label = [`--label=gwtoken/${account}`, 'xdg:schema', 'org.freedesktop.Secret.Generic'];
      await run('secret-tool', ['store', ...label, ...item(account)], withPath, secret);
    };
    for (const [account, secret] of Object.entries(seed)) await store(account, secret);
    if (state === 'locked') await lockCollection(withPath);
    return {
      env,
      home: home.HOME,
      daemonPid: daemon?.pid,
      lookup: (account) => run('secret-tool', ['lookup', ...item(account)], withPath).catch(() => undefined),
      store,
      search: (service) => run('secret-tool', ['search', '--all', 'service', service], withPath),
      clear: (account) =>
        run('secret-tool', ['clear', ...item(account)], withPath).then(
          () => {},
          () => {},
        ),
      lock: () => lockCollection(withPath),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A copy of the daemon, without the file capability that Debian may have given the original: that one would undo the
 * parent-death signal, and cannot be run at all in a container that lacks CAP_IPC_LOCK.
 */
function privateDaemon(dir: string): string {
  const copy = join(dir, 'gnome-keyring-daemon');
  copyFileSync(onPath('gnome-keyring-daemon') ?? 'gnome-keyring-daemon', copy);
  return copy;
}
