import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onCleanup } from '../clean-up';
import { openFolder } from '../homes/folder';
import type { Display } from './display';
import { type Environment, endHelper, startHelper, startSessionBus } from './session-bus';

/** What a user who has logged in has: a home and a session bus, which nobody else sees. */
export interface Session {
  /** The folder in which all that is. */
  readonly dir: string;
  /** HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS, and DISPLAY where there is one. */
  readonly env: Environment;
  /** The same for programs of the system's: with PATH. */
  readonly withPath: Environment;
  readonly home: ReturnType<typeof privateHome>;
  /** Starts a program that ends with the session. */
  start(program: string, args: readonly string[], more?: Environment): ChildProcess;
  /** Ends what was started, by pid, and removes the folder: done at the test's end if it was not done before. */
  stop(): Promise<void>;
}

/** @param display where the session has a screen, and somebody before it */
export async function startSession(display?: Display): Promise<Session> {
  const dir = openFolder();
  const helpers: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(helpers.map((helper) => endHelper(helper)));
    rmSync(dir, { recursive: true, force: true });
  };
  onCleanup(stop);
  const home = privateHome(dir);
  const path = { PATH: process.env['PATH'] ?? '' };
  const { bus, address } = await startSessionBus(dir, { ...path, ...home });
  helpers.push(bus);
  const env = { ...home, ...display?.env, DBUS_SESSION_BUS_ADDRESS: address };
  const withPath = { ...path, ...env };
  return {
    dir,
    env,
    withPath,
    home,
    start(program, args, more = {}) {
      const helper = startHelper(program, args, { ...withPath, ...more });
      helpers.push(helper);
      helper.stdout?.resume();
      return helper;
    },
    stop,
  };
}

/** HOME and XDG_* below a folder. */
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
