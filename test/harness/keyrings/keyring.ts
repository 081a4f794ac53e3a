import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onCleanup } from '../clean-up';
import { openFolder } from '../homes/folder';
import { type CollectionState, collectionState, lockCollection } from './secret-service';
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
export function keyringAvailable(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux: a keyring of its own';
  const missing = Object.entries(NEEDED).filter(([program]) => onPath(program) === undefined);
  return missing.length === 0 ? undefined : `needs Debian: ${missing.map(([, name]) => name).join(' ')}`;
}

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
      await untilReady(daemon, state === 'none' ? 'no collection' : 'unlocked', withPath);
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

function privateHome(dir: string) {
  const home = {
    HOME: join(dir, 'home'),
    XDG_CONFIG_HOME: join(dir, 'config'),
    XDG_CACHE_HOME: join(dir, 'cache'),
    XDG_DATA_HOME: join(dir, 'data'),
    XDG_RUNTIME_DIR: join(dir, 'run'),
  };
  for (const folder of [home.HOME, home.XDG_RUNTIME_DIR]) mkdirSync(folder, { mode: 0o700 });
  return home;
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

async function untilReady(daemon: ChildProcess, wanted: CollectionState, env: Environment): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  let state: CollectionState = 'no provider';
  while (Date.now() < giveUpAt && daemon.exitCode === null && daemon.signalCode === null) {
    state = await collectionState(env);
    if (state === wanted) return;
    await sleep(10);
  }
  const end = daemon.exitCode ?? daemon.signalCode ?? 'still running';
  throw new Error(`gnome-keyring should be in the state "${wanted}" and is: ${state} (daemon: ${end})`);
}

function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
