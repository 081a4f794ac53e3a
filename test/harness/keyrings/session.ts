import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { onCleanup } from '../clean-up';
import { openFolder } from '../homes/folder';
import type { Display } from './display';
import { privateHome } from './private-home';
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
