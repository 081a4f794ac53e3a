import { until } from '../programs/processes';
import { type Environment, run } from './session';

/** State of the Secret Service's default collection on a bus; `no provider` if no service answers. */
export type CollectionState = 'unlocked' | 'locked' | 'no collection' | 'no provider';

const SERVICE = '/org/freedesktop/secrets';

/** Asks the bus through dbus-send(1), because libsecret reports a locked collection as an absent item. */
async function collectionState(env: Environment): Promise<CollectionState> {
  try {
    const collection = await defaultCollection(env);
    if (collection === undefined) return 'no collection';
    // Reads all properties: gnome-keyring may abort if a client asks for a single one.
    const reply = await call(env, collection, 'org.freedesktop.DBus.Properties.GetAll', [
      'string:org.freedesktop.Secret.Collection',
    ]);
    return /"Locked"\s+variant\s+boolean true\b/.test(reply) ? 'locked' : 'unlocked';
  } catch {
    return 'no provider';
  }
}

/** Locks the default collection. Throws if it is still unlocked afterwards. */
export async function lockCollection(env: Environment): Promise<void> {
  const collection = await defaultCollection(env);
  if (collection === undefined) throw new Error('no collection to lock');
  await call(env, SERVICE, 'org.freedesktop.Secret.Service.Lock', [`array:objpath:${collection}`]);
  const state = await collectionState(env);
  if (state !== 'locked') throw new Error(`the collection should be locked and is: ${state}`);
}

/** Returns the object path of the default collection; the service answers `/` if none exists. */
async function defaultCollection(env: Environment): Promise<string | undefined> {
  const reply = await call(env, SERVICE, 'org.freedesktop.Secret.Service.ReadAlias', ['string:default']);
  return /object path "(\/.+)"/.exec(reply)?.[1];
}

function call(env: Environment, object: string, method: string, args: readonly string[]): Promise<string> {
  const to = ['--session', '--print-reply', '--reply-timeout=5000', '--dest=org.freedesktop.secrets'];
  return run('dbus-send', [...to, object, method, ...args], env);
}

/** Returns the attributes of an account's item, for secret-tool. */
export const attributesOf = (account: string) => ['service', 'gwtoken', 'account', account];

/** Returns whether an account has an item, even a locked one; opens no dialog. */
export async function hasItem(env: Environment, account: string): Promise<boolean> {
  const found = await call(env, SERVICE, 'org.freedesktop.Secret.Service.SearchItems', [
    `dict:string:string:${attributesOf(account)}`,
  ]);
  return /object path/.test(found);
}

/** Waits until the default collection is in this state; a service needs a moment after its start. */
export async function untilCollection(wanted: CollectionState, env: Environment): Promise<void> {
  await until(`the keyring is: ${wanted}`, async () => (await collectionState(env)) === wanted, 30_000, 100);
}
