/**
 * Asks the session bus about the Secret Service: libsecret cannot tell a locked keyring, or an item that the
 * person does not let it read, from an absent item. It runs the programs that come with a bus: a D-Bus client
 * from npm would have to be loaded and trusted for these few calls. None of them ever sees a secret.
 */

import { systemCode } from '../../errors';
import type { Env } from '../../world';
import { withinLimit } from '../limit';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** The state of the default keyring; `unknown` if no program is installed, or none answers in time. */
export type BusState = 'unlocked' | 'locked' | 'no-collection' | 'unknown';
/**
 * The state of an item. `locked`: its keyring is. `guarded`: its keyring is open, but not for this program.
 */
export type ItemState = 'absent' | 'present' | 'guarded' | 'locked' | 'unknown';

/** The variables that lead to the bus, and to the cookie that some buses require. */
const BUS_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME'];
/** The time for an answer: the service has just given one, and without it gwtoken would have to guess. */
const LIMIT_MS = 5000;
const NAME = 'org.freedesktop.secrets';
const SERVICE = '/org/freedesktop/secrets';
const SERVICE_INTERFACE = 'org.freedesktop.Secret.Service';
const COLLECTION = 'org.freedesktop.Secret.Collection';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** A method's call. Its argument is one string, or a dictionary of strings. */
interface Call {
  readonly path: string;
  readonly interfaceName: string;
  readonly method: string;
  readonly argument: string | Readonly<Record<string, string>>;
}

const READ_ALIAS: Call = {
  path: SERVICE,
  interfaceName: SERVICE_INTERFACE,
  method: 'ReadAlias',
  argument: 'default',
};

/** Searches by the attributes that libsecret uses for keytar: without the schema it does not find an item. */
function searchItems(account: string): Call {
  const attributes = { 'xdg:schema': 'org.freedesktop.Secret.Generic', service: 'gwtoken', account };
  return { path: SERVICE, interfaceName: SERVICE_INTERFACE, method: 'SearchItems', argument: attributes };
}

/**
 * Reads all properties at once: gnome-keyring aborts if it is asked for one of a collection before it has
 * noticed who asks, as happened once in a thousand. Asked for all, it leaves out those that it cannot tell.
 */
function getProperties(path: string, of: string): Call {
  return { path, interfaceName: PROPERTIES, method: 'GetAll', argument: of };
}

/** Asks within a limit; resolves with the fallback if there is no answer by then, and never rejects. */
async function inTime<T>(
  fallback: T,
  env: Env,
  query: (bus: Bus) => Promise<T>,
  limitMs = LIMIT_MS,
  caller?: AbortSignal,
): Promise<T> {
  return await withinLimit(limitMs, (signal) => query({ env, signal }), caller).catch(() => fallback);
}

/** Returns the state of the default collection. @param caller ends the query before its limit */
export function collectionOnBus(env: Env, limitMs?: number, caller?: AbortSignal): Promise<BusState> {
  const query = async (bus: Bus): Promise<BusState> => {
    const [path] = pathsIn(await ask(READ_ALIAS, bus));
    if (path === undefined) return 'unknown';
    // The path `/` means that there is no collection.
    return path === '/' ? 'no-collection' : lockIn(await collectionAt(path, bus));
  };
  return inTime('unknown', env, query, limitMs, caller);
}

/** An empty list of unlocked items, which comes before that of locked ones, as each program prints it. */
const NONE_UNLOCKED = /array \[\s*\]\s*array|^aoao 0 /;

/** Tells if an account has an item. */
export function itemOnBus(account: string, env: Env): Promise<ItemState> {
  return inTime('unknown', env, async (bus): Promise<ItemState> => {
    const reply = await ask(searchItems(account), bus);
    if (reply === '') return 'unknown';
    const [path] = pathsIn(reply);
    if (path === undefined) return 'absent';
    const collection = path.slice(0, path.lastIndexOf('/'));
    if (lockIn(await collectionAt(collection, bus)) === 'locked') return 'locked';
    return NONE_UNLOCKED.test(reply) ? 'guarded' : 'present';
  });
}

/**
 * Tells if a collection is locked and shows none of its items, so that a search says nothing about it, as
 * KeePassXC's databases are.
 */
export function isHidingOnBus(env: Env): Promise<boolean> {
  return inTime(false, env, async (bus) => {
    const collections = await ask(getProperties(SERVICE, SERVICE_INTERFACE), bus);
    const hiding = pathsIn(collections).map(async (path) => {
      const collection = await collectionAt(path, bus);
      return (
        lockIn(collection) === 'locked' && !pathsIn(collection).some((item) => item.startsWith(`${path}/`))
      );
    });
    return (await Promise.all(hiding)).includes(true);
  });
}

async function collectionAt(path: string, bus: Bus): Promise<string> {
  const read = () => ask(getProperties(path, COLLECTION), bus);
  const found = await read();
  // gnome-keyring may not have noticed yet who asks: 2 of 1,500 times.
  return found === '' || lockIn(found) !== 'unknown' ? found : await read();
}

/** The property as dbus-send and busctl print it. */
const LOCKED = /"Locked"\s+(?:variant\s+boolean|b)\s+(true|false)\b/;

function lockIn(properties: string): BusState {
  const isLocked = LOCKED.exec(properties)?.[1];
  return isLocked === undefined ? 'unknown' : isLocked === 'true' ? 'locked' : 'unlocked';
}

function pathsIn(reply: string): string[] {
  return [...reply.matchAll(/"(\/[^"]*)"/g)].map(([, path]) => path!);
}

type Bus = { readonly env: Env; readonly signal: AbortSignal };

/** Returns the output of the first program that is installed; empty if there is none, or if it fails. */
async function ask({ path, interfaceName, method, argument }: Call, { env, signal }: Bus): Promise<string> {
  const isText = typeof argument === 'string';
  const words = isText ? [argument] : Object.entries(argument).flat();
  const toDbusSend = `${isText ? 'string' : 'dict:string:string'}:${words.join(',')}`;
  const toBusctl = isText ? ['s', argument] : ['a{ss}', String(words.length / 2), ...words];
  // The quickest first.
  const programs = {
    'dbus-send': [
      '--session',
      '--print-reply',
      `--dest=${NAME}`,
      path,
      `${interfaceName}.${method}`,
      toDbusSend,
    ],
    busctl: ['--user', 'call', NAME, path, interfaceName, method, ...toBusctl],
  };
  const helperEnv = helperEnvironment(env, ...BUS_VARIABLES);
  for (const [program, args] of Object.entries(programs)) {
    const { error, stdout } = await runHelper(program, args, helperEnv, signal);
    if (systemCode(error) !== 'ENOENT') return error ? '' : stdout;
  }
  return '';
}
