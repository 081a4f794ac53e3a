/**
 * Asks the session bus about the Secret Service: libsecret cannot tell a locked keyring, or an item that the
 * person does not let it read, from an absent item. It runs the programs that come with a bus, since a D-Bus client
 * from npm would have to be loaded and trusted for these few calls; none of them ever sees a secret.
 */

import { execFile } from 'node:child_process';
import type { Env } from '../../world';
import { helperEnvironment } from '../processes/privacy';

/** `unknown` when none of the programs is installed, or there is no answer in time. */
export type BusState = 'unlocked' | 'locked' | 'no-collection' | 'unknown';
/** `locked`: its keyring is. `guarded`: the keyring is open, but the item is still locked for a new program. */
export type ItemState = 'absent' | 'present' | 'guarded' | 'locked' | 'unknown';

/** Where the programs below find the bus, and the cookie that some buses require. */
const BUS_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME'];
/** The service has just answered: without a reply, gwtoken would have to guess. */
const LIMIT_MS = 5000;
const NAME = 'org.freedesktop.secrets';
const SERVICE = '/org/freedesktop/secrets';
const SERVICE_INTERFACE = 'org.freedesktop.Secret.Service';
const COLLECTION = 'org.freedesktop.Secret.Collection';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** The attributes that libsecret searches for on behalf of keytar: it does not find an item without the schema. */
const searched = (account: string): readonly (readonly [name: string, value: string])[] => [
  ['xdg:schema', 'org.freedesktop.Secret.Generic'],
  ['service', 'gwtoken'],
  ['account', account],
];

/**
 * How each reads the properties of an interface and calls the two methods that are needed; the quickest first. All
 * properties at once: gnome-keyring aborts when it is asked for one of a collection before it has noticed who asks, as
 * happened at one in a thousand. Asked for all, it leaves out what it cannot tell.
 */
const PROGRAMS = [
  {
    program: 'dbus-send',
    properties: (path: string, of: string) => [...dbusSend(path), `${PROPERTIES}.GetAll`, `string:${of}`],
    alias: [...dbusSend(SERVICE), `${SERVICE_INTERFACE}.ReadAlias`, 'string:default'],
    items: (account: string) => [
      ...dbusSend(SERVICE),
      `${SERVICE_INTERFACE}.SearchItems`,
      `dict:string:string:${searched(account).flat()}`,
    ],
  },
  {
    program: 'busctl',
    properties: (path: string, of: string) => [...busctl(path), PROPERTIES, 'GetAll', 's', of],
    alias: [...busctl(SERVICE), SERVICE_INTERFACE, 'ReadAlias', 's', 'default'],
    items: (account: string) => [
      ...busctl(SERVICE),
      SERVICE_INTERFACE,
      'SearchItems',
      'a{ss}',
      String(searched(account).length),
      ...searched(account).flat(),
    ],
  },
  {
    program: 'gdbus',
    properties: (path: string, of: string) => [...gdbus(path), `${PROPERTIES}.GetAll`, of],
    alias: [...gdbus(SERVICE), `${SERVICE_INTERFACE}.ReadAlias`, 'default'],
    items: (account: string) => [
      ...gdbus(SERVICE),
      `${SERVICE_INTERFACE}.SearchItems`,
      `{${searched(account).map(([name, value]) => `'${name}': '${value}'`)}}`,
    ],
  },
];

function dbusSend(path: string): string[] {
  return ['--session', '--print-reply', `--dest=${NAME}`, path];
}

function busctl(path: string): string[] {
  return ['--user', 'call', NAME, path];
}

function gdbus(path: string): string[] {
  return ['call', '--session', '--dest', NAME, '--object-path', path, '--method'];
}

/** The state of the default collection; never rejects. @param signal ends the query, after five seconds if left out */
export async function collectionOnBus(
  env: Env,
  signal: AbortSignal = AbortSignal.timeout(LIMIT_MS),
): Promise<BusState> {
  const bus = { env, signal };
  const [path] = pathsIn(await ask(({ alias }) => alias, bus));
  if (path === undefined) return 'unknown';
  // The path `/` means that there is no collection.
  return path === '/' ? 'no-collection' : await lockOf(path, bus);
}

/** The list of unlocked items comes before that of locked ones: here it is empty, as each program prints it. */
const NONE_UNLOCKED = /array \[\s*\]\s*array|^aoao 0 |^\(@ao \[\]/;

/** Whether an account has an item; takes five seconds at most, and never rejects. */
export async function itemOnBus(account: string, env: Env): Promise<ItemState> {
  const bus = { env, signal: AbortSignal.timeout(LIMIT_MS) };
  const reply = await ask(({ items }) => items(account), bus);
  if (reply === '') return 'unknown';
  const [path] = pathsIn(reply);
  if (path === undefined) return 'absent';
  if ((await lockOf(collectionOf(path), bus)) === 'locked') return 'locked';
  return NONE_UNLOCKED.test(reply) ? 'guarded' : 'present';
}

/**
 * Whether a collection is locked and shows none of its items, so that a search says nothing about it, as KeePassXC's
 * databases are. Takes five seconds at most, and never rejects.
 */
export async function isHidingOnBus(env: Env): Promise<boolean> {
  const bus = { env, signal: AbortSignal.timeout(LIMIT_MS) };
  const collections = await ask(({ properties }) => properties(SERVICE, SERVICE_INTERFACE), bus);
  const hiding = pathsIn(collections).map(async (path) => {
    const collection = await collectionAt(path, bus);
    return (
      lockIn(collection) === 'locked' && !pathsIn(collection).some((item) => item.startsWith(`${path}/`))
    );
  });
  return (await Promise.all(hiding)).includes(true);
}

/** `/org/freedesktop/secrets/collection/NAME` of `/org/freedesktop/secrets/collection/NAME/ITEM`. */
function collectionOf(item: string): string {
  return item.slice(0, item.lastIndexOf('/'));
}

async function lockOf(collection: string, bus: Bus): Promise<BusState> {
  return lockIn(await collectionAt(collection, bus));
}

/** The properties of a collection, as the program prints them. */
async function collectionAt(path: string, bus: Bus): Promise<string> {
  const read = () => ask(({ properties }) => properties(path, COLLECTION), bus);
  const found = await read();
  // gnome-keyring had not noticed yet who asks.
  return found === '' || lockIn(found) !== 'unknown' ? found : await read();
}

/** As dbus-send, busctl and gdbus print it. */
const LOCKED = /["']Locked["'](?:\s+variant\s+boolean|\s+b|:)\s+<?(true|false)\b/;

function lockIn(properties: string): BusState {
  const isLocked = LOCKED.exec(properties)?.[1];
  return isLocked === undefined ? 'unknown' : isLocked === 'true' ? 'locked' : 'unlocked';
}

function pathsIn(reply: string): string[] {
  return [...reply.matchAll(/["'](\/[^"']*)["']/g)].map(([, path]) => path!);
}

interface Bus {
  readonly env: Env;
  readonly signal: AbortSignal;
}

/** The output of the first program that is installed; empty when there is none, or when it fails. */
async function ask(
  args: (program: (typeof PROGRAMS)[number]) => readonly string[],
  bus: Bus,
): Promise<string> {
  for (const program of PROGRAMS) {
    const reply = await run(program.program, args(program), bus);
    if (reply !== 'not installed') return reply;
  }
  return '';
}

/** The program's stdout, empty when it fails. */
function run(
  program: string,
  args: readonly string[],
  { env, signal }: Bus,
): Promise<string | 'not installed'> {
  const reply = new Promise<string>((resolve) => {
    const options = {
      env: helperEnvironment(env, ...BUS_VARIABLES),
      // One of its own: Node warns of the eleventh listener, and a program that is not installed leaves its one there.
      signal: AbortSignal.any([signal]),
    };
    const child = execFile(program, args, options, (error, stdout) => {
      // Node has sent SIGTERM, which it ignores where gwtoken was started so.
      if (signal.aborted) child.kill('SIGKILL');
      if (error?.code === 'ENOENT') resolve('not installed');
      else resolve(error ? '' : stdout);
    });
  });
  // Some failures to start are thrown, such as out of memory.
  return reply.catch(() => '');
}
