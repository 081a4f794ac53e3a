/**
 * Asks the session bus whether the default keyring is locked, and whether an item is there, because libsecret
 * reports items of a locked keyring, and those that it may not read, as absent. dbus-send(1) asks: it comes
 * with the bus and never sees a secret, while a D-Bus client from npm would have to be loaded and trusted for
 * a few calls.
 */
import type { Env } from '../../world';
import { withinLimit } from '../limit';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** Why the default keyring returns no items; undefined if no problem is known. */
export type KeyringProblem = 'locked' | 'no-collection' | undefined;

/** Limit that is long enough for a busy service, because without an answer gwtoken would have to guess. */
const LIMIT_MS = 5000;
const SERVICE = '/org/freedesktop/secrets';
const READ_ALIAS = [SERVICE, 'org.freedesktop.Secret.Service.ReadAlias', 'string:default'];
const SEARCH = [SERVICE, 'org.freedesktop.Secret.Service.SearchItems'];
const LIST = [SERVICE, 'org.freedesktop.DBus.Properties.GetAll', 'string:org.freedesktop.Secret.Service'];
/** Reads all properties: gnome-keyring may abort if a new client asks for a single one. */
const GET_ALL = ['org.freedesktop.DBus.Properties.GetAll', 'string:org.freedesktop.Secret.Collection'];

/** Returns the default keyring's problem; never rejects. @param caller ends the query before the limit */
export async function keyringProblem(env: Env, caller?: AbortSignal): Promise<KeyringProblem> {
  const query = async (signal: AbortSignal): Promise<KeyringProblem> => {
    const [, path] = /"(\/[^"]*)"/.exec(await callBus(READ_ALIAS, env, signal)) ?? [];
    if (path === undefined) return undefined;
    // The path `/` means that there is no collection.
    if (path === '/') return 'no-collection';
    const properties = await callBus([path, ...GET_ALL], env, signal);
    return /"Locked"\s+variant\s+boolean true/.test(properties) ? 'locked' : undefined;
  };
  return await withinLimit(LIMIT_MS, query, caller).catch(() => undefined);
}

/**
 * Returns whether the account certainly has no item: no keyring has one, and none is locked, which could hide
 * its items. Opens no dialog, and never rejects.
 */
export async function isAbsent(account: string, env: Env, caller?: AbortSignal): Promise<boolean> {
  const query = async (signal: AbortSignal): Promise<boolean> => {
    const found = await callBus(
      [...SEARCH, `dict:string:string:service,gwtoken,account,${account}`],
      env,
      signal,
    );
    if (!found.includes('array') || found.includes('object path')) return false;
    const listed = await callBus(LIST, env, signal);
    const paths = [...listed.matchAll(/object path "([^"]+)"/g)].map(([, path = '']) => path);
    const keyrings = await Promise.all(paths.map((path) => callBus([path, ...GET_ALL], env, signal)));
    return (
      paths.length > 0 && keyrings.every((keyring) => /"Locked"\s+variant\s+boolean false/.test(keyring))
    );
  };
  return await withinLimit(LIMIT_MS, query, caller).catch(() => false);
}

/** Returns the output of dbus-send, which is empty if dbus-send fails. */
async function callBus(call: readonly string[], env: Env, signal: AbortSignal): Promise<string> {
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', ...call];
  const own = helperEnvironment(env, 'DBUS_SESSION_BUS_ADDRESS');
  return (await runHelper('dbus-send', args, own, signal)).stdout;
}
