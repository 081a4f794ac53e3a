import { systemCode } from '../../system-errors';
import type { Env } from '../../world';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** `unknown` when none of the programs is installed, or there is no answer in time. */
export type BusState = 'unlocked' | 'locked' | 'no-collection' | 'unknown';
/** `locked`: its keyring is. `guarded`: the keyring is open, but the item is still locked for a new program. */
export type ItemState = 'absent' | 'present' | 'guarded' | 'locked' | 'unknown';

/** Where the programs find the bus, and the cookie that some buses require. */
const BUS_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME'];
/** The service has just answered: without a reply, gwtoken would have to guess. */
const LIMIT_MS = 5000;
const NAME = 'org.freedesktop.secrets';
const SERVICE = '/org/freedesktop/secrets';
const SERVICE_INTERFACE = 'org.freedesktop.Secret.Service';
const COLLECTION = 'org.freedesktop.Secret.Collection';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** A method's call: its object, interface and name, and its arguments after their type as busctl writes it. */
type Call = readonly [path: string, of: string, method: string, type: string, ...args: string[]];

const READ_ALIAS: Call = [SERVICE, SERVICE_INTERFACE, 'ReadAlias', 's', 'default'];
const SCHEMA = 'org.freedesktop.Secret.Generic';
/** Finds an item by the attributes that libsecret uses for keytar: without the schema it finds none. */
const searchItems = (account: string): Call => [
  SERVICE,
  SERVICE_INTERFACE,
  'SearchItems',
  'a{ss}',
  ...Object.entries({ 'xdg:schema': SCHEMA, service: 'gwtoken', account }).flat(),
];
/**
 * All properties at once: gnome-keyring aborts if it is asked for one of a collection before it has noticed who asks, as
 * happened once in a thousand. Asked for all, it leaves out what it cannot tell.
 */
const getProperties = (path: string, of: string): Call => [path, PROPERTIES, 'GetAll', 's', of];

/** The state of the default collection; never rejects. @param signal ends the query, after five seconds if left out */
export async function collectionOnBus(
  env: Env,
  signal: AbortSignal = AbortSignal.timeout(LIMIT_MS),
): Promise<BusState> {
  const bus = { env, signal };
  const [path] = pathsIn(await ask(READ_ALIAS, bus));
  if (path === undefined) return 'unknown';
  // The path `/` means that there is no collection.
  return path === '/' ? 'no-collection' : lockIn(await collectionAt(path, bus));
}

/** The list of unlocked items comes before that of locked ones: here it is empty, as each program prints it. */
const NONE_UNLOCKED = /array \[\s*\]\s*array|^aoao 0 /;

/** Whether an account has an item; takes five seconds at most, and never rejects. */
export async function itemOnBus(account: string, env: Env): Promise<ItemState> {
  const bus = { env, signal: AbortSignal.timeout(LIMIT_MS) };
  const reply = await ask(searchItems(account), bus);
  if (reply === '') return 'unknown';
  const [path] = pathsIn(reply);
  if (path === undefined) return 'absent';
  const collection = path.slice(0, path.lastIndexOf('/'));
  if (lockIn(await collectionAt(collection, bus)) === 'locked') return 'locked';
  return NONE_UNLOCKED.test(reply) ? 'guarded' : 'present';
}

/**
 * Whether a collection is locked and shows none of its items, so that a search says nothing about it, as KeePassXC's
 * databases are. Takes five seconds at most, and never rejects.
 */
export async function isHidingOnBus(env: Env): Promise<boolean> {
  const bus = { env, signal: AbortSignal.timeout(LIMIT_MS) };
  const collections = await ask(getProperties(SERVICE, SERVICE_INTERFACE), bus);
  const hiding = pathsIn(collections).map(async (path) => {
    const collection = await collectionAt(path, bus);
    return (
      lockIn(collection) === 'locked' && !pathsIn(collection).some((item) => item.startsWith(`${path}/`))
    );
  });
  return (await Promise.all(hiding)).includes(true);
}

async function collectionAt(path: string, bus: Bus): Promise<string> {
  const read = () => ask(getProperties(path, COLLECTION), bus);
  const found = await read();
  // gnome-keyring had not noticed yet who asks: 2 of 1,500 times.
  return found === '' || lockIn(found) !== 'unknown' ? found : await read();
}

/** As dbus-send and busctl print it. */
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
async function ask([path, of, method, type, ...args]: Call, { env, signal }: Bus): Promise<string> {
  const isDict = type === 'a{ss}';
  const typed = `${isDict ? 'dict:string:string' : 'string'}:${args}`;
  const counted = isDict ? [String(args.length / 2), ...args] : args;
  // The quickest first.
  const programs = {
    'dbus-send': ['--session', '--print-reply', `--dest=${NAME}`, path, `${of}.${method}`, typed],
    busctl: ['--user', 'call', NAME, path, of, method, type, ...counted],
  };
  for (const [program, words] of Object.entries(programs)) {
    const { error, stdout } = await runHelper(
      program,
      words,
      helperEnvironment(env, ...BUS_VARIABLES),
      signal,
    );
    if (systemCode(error) !== 'ENOENT') return error ? '' : stdout;
  }
  return '';
}
