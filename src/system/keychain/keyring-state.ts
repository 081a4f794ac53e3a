/**
 * Asks the session bus whether the default keyring is locked, because libsecret reports the items of a locked
 * keyring as absent. dbus-send(1) asks: it comes with the bus and never sees a secret, while a D-Bus client
 * from npm would have to be loaded and trusted for two calls.
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

/** Returns the output of dbus-send, which is empty if dbus-send fails. */
async function callBus(call: readonly string[], env: Env, signal: AbortSignal): Promise<string> {
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', ...call];
  const own = helperEnvironment(env, 'DBUS_SESSION_BUS_ADDRESS');
  return (await runHelper('dbus-send', args, own, signal)).stdout;
}
