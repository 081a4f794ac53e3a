/**
 * Asks the session bus about the Secret Service's default collection (the keyring): libsecret cannot tell a locked
 * one from one without the item. By the programs that come with a bus, since a D-Bus client of npm's would have to be
 * loaded and trusted for these two calls; none of them is told or shown a secret.
 */

import { execFile } from 'node:child_process';
import type { Env } from '../../world/streams';
import { helperEnvironment } from '../processes/privacy';

/** `unknown` when none of the programs is there, or nobody answers in time. */
export type BusState = 'unlocked' | 'locked' | 'no-collection' | 'unknown';

/** Where the programs below find the bus, and the cookie that some buses ask for. */
const BUS_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME'];
const LIMIT_MS = 800;
const NAME = 'org.freedesktop.secrets';
const SERVICE = '/org/freedesktop/secrets';
const COLLECTION = 'org.freedesktop.Secret.Collection';

/** How each program asks for the default collection's path, and for whether one is locked; the quickest first. */
const PROGRAMS = [
  {
    program: 'dbus-send',
    alias: [...dbusSend(SERVICE), 'org.freedesktop.Secret.Service.ReadAlias', 'string:default'],
    locked: (path: string) => [
      ...dbusSend(path),
      'org.freedesktop.DBus.Properties.Get',
      `string:${COLLECTION}`,
      'string:Locked',
    ],
  },
  {
    program: 'busctl',
    alias: ['--user', 'call', NAME, SERVICE, 'org.freedesktop.Secret.Service', 'ReadAlias', 's', 'default'],
    locked: (path: string) => ['--user', 'get-property', NAME, path, COLLECTION, 'Locked'],
  },
  {
    program: 'gdbus',
    alias: [...gdbus(SERVICE), 'org.freedesktop.Secret.Service.ReadAlias', 'default'],
    locked: (path: string) => [...gdbus(path), 'org.freedesktop.DBus.Properties.Get', COLLECTION, 'Locked'],
  },
];

function dbusSend(path: string): string[] {
  return ['--session', '--print-reply', `--dest=${NAME}`, path];
}

function gdbus(path: string): string[] {
  return ['call', '--session', '--dest', NAME, '--object-path', path, '--method'];
}

/**
 * The state of the default collection; takes less than a second, and never rejects.
 *
 * @param enough ends the asking earlier
 */
export async function collectionOnBus(env: Env, enough?: AbortSignal): Promise<BusState> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const stop = enough ? AbortSignal.any([limit, enough]) : limit;
  for (const { program, alias, locked } of PROGRAMS) {
    const reply = await run(program, alias, env, stop);
    if (reply === 'not installed') continue;
    // No collection is written as the path `/`.
    const path = /["'](\/[^"']*)["']/.exec(reply)?.[1];
    if (path === undefined) return 'unknown';
    if (path === '/') return 'no-collection';
    const answer = /\b(true|false)\b/.exec(await run(program, locked(path), env, stop))?.[1];
    return answer === undefined ? 'unknown' : answer === 'true' ? 'locked' : 'unlocked';
  }
  return 'unknown';
}

/** The program's stdout, empty when it fails. */
function run(
  program: string,
  args: readonly string[],
  env: Env,
  signal: AbortSignal,
): Promise<string | 'not installed'> {
  return new Promise((resolve) => {
    const options = {
      env: helperEnvironment(env, ...BUS_VARIABLES),
      signal,
      killSignal: 'SIGKILL',
    } as const;
    execFile(program, args, options, (error, stdout) => {
      if (error?.code === 'ENOENT') resolve('not installed');
      else resolve(error ? '' : stdout);
    });
  });
}
