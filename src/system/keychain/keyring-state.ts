/**
 * Asks the session bus whether the default keyring is locked, and whether an item is there, because libsecret
 * reports items of a locked keyring, and those that it may not read, as absent. dbus-send(1) asks: it comes
 * with the bus and never sees a secret, while a D-Bus client from npm would have to be loaded and trusted for
 * a few calls.
 */
import { messageOf } from '../../errors';
import { systemCode } from '../../system-errors';
import type { Env } from '../../world';
import { helperEnvironment, runHelper } from '../processes/helper-program';
import { failureError } from './errors';

/** Why the default keyring returns no items; undefined if no problem is known. */
export type KeyringProblem = 'locked' | 'no-collection' | undefined;

const SERVICE = '/org/freedesktop/secrets';
const READ_ALIAS = [SERVICE, 'org.freedesktop.Secret.Service.ReadAlias', 'string:default'];
const SEARCH = [SERVICE, 'org.freedesktop.Secret.Service.SearchItems'];
const OF_GWTOKEN = 'dict:string:string:service,gwtoken';
/** Reads all properties: gnome-keyring may abort if a new client asks for a single one. */
const GET_ALL = 'org.freedesktop.DBus.Properties.GetAll';
const LIST = [SERVICE, GET_ALL, 'string:org.freedesktop.Secret.Service'];
const COLLECTION = 'org.freedesktop.Secret.Collection';

/** Returns the default keyring's problem; never rejects. */
export async function keyringProblem(env: Env, signal: AbortSignal): Promise<KeyringProblem> {
  const [, path] = /"(\/[^"]*)"/.exec(await callBus(READ_ALIAS, env, signal)) ?? [];
  if (path === undefined) return undefined;
  // The path `/` means that there is no collection.
  if (path === '/') return 'no-collection';
  const properties = await callBus([path, GET_ALL, `string:${COLLECTION}`], env, signal);
  return /"Locked"\s+variant\s+boolean true/.test(properties) ? 'locked' : undefined;
}

/**
 * Returns whether the account certainly has no item: no keyring has one, and none is locked, which could hide
 * its items. Never rejects.
 */
export async function isAbsent(account: string, env: Env, signal: AbortSignal): Promise<boolean> {
  const found = await callBus([...SEARCH, `${OF_GWTOKEN},account,${account}`], env, signal);
  if (!found.includes('array') || found.includes('object path')) return false;
  const keyrings = await propertiesOf(await callBus(LIST, env, signal), COLLECTION, env, signal);
  return keyrings.length > 0 && keyrings.every((each) => /"Locked"\s+variant\s+boolean false/.test(each));
}

/**
 * Returns the accounts of all items that are visible, even of locked ones, without a dialog. None are visible
 * in a locked keyring of gnome-keyring, or in a locked database of KeePassXC. Returns undefined if there is
 * no dbus-send. Throws `keychain` if the service does not answer.
 */
export async function accountsOnBus(env: Env, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const { error, stdout } = await send([...SEARCH, OF_GWTOKEN], env, signal);
  if (systemCode(error) === 'ENOENT') return undefined;
  // The error's last line is that of dbus-send; the others repeat the command.
  if (error)
    throw failureError({ isLoaded: true, message: messageOf(error).trim().replace(/^.*\n/s, '') }, 'linux');
  const items = await propertiesOf(stdout, 'org.freedesktop.Secret.Item', env, signal);
  return items.flatMap((item) => /"account"\s+string "(.*)"/.exec(item)?.[1] ?? []);
}

/** Returns the properties of each object in the output of dbus-send. */
async function propertiesOf(
  objects: string,
  type: string,
  env: Env,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths = [...objects.matchAll(/object path "([^"]+)"/g)].map(([, path = '']) => path);
  return await Promise.all(paths.map((path) => callBus([path, GET_ALL, `string:${type}`], env, signal)));
}

/** Returns the output of dbus-send, which is empty if dbus-send fails. */
async function callBus(...call: Parameters<typeof send>): Promise<string> {
  return (await send(...call)).stdout;
}

function send(call: readonly string[], env: Env, signal: AbortSignal): ReturnType<typeof runHelper> {
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', ...call];
  const own = helperEnvironment(env, 'DBUS_SESSION_BUS_ADDRESS');
  return runHelper('dbus-send', args, own, signal);
}
