/**
 * Asks the session bus whether the default keyring is locked: libsecret says of a locked one that the item is
 * not there. By dbus-send(1), which comes with a bus and never sees a secret: a D-Bus client from npm would
 * have to be loaded and trusted for two calls.
 */
import type { Env } from '../../world';
import { withinLimit } from '../limit';
import { helperEnvironment, runHelper } from '../processes/helper-program';

/** Why the default keyring gives no items; undefined if it is open, or if nobody answers in time. */
export type KeyringProblem = 'locked' | 'no-collection' | undefined;

/** The time for an answer: the service has just given one, and without it gwtoken would have to guess. */
const LIMIT_MS = 5000;
const SERVICE = '/org/freedesktop/secrets';
const READ_ALIAS = [SERVICE, 'org.freedesktop.Secret.Service.ReadAlias', 'string:default'];
/** All properties at once: gnome-keyring may abort if it is asked for one before it has noticed who asks. */
const GET_ALL = ['org.freedesktop.DBus.Properties.GetAll', 'string:org.freedesktop.Secret.Collection'];

/** Returns what is wrong with the default keyring; never rejects. @param caller ends the query earlier */
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

/** Returns what dbus-send prints; nothing if it fails. */
async function callBus(call: readonly string[], env: Env, signal: AbortSignal): Promise<string> {
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', ...call];
  const own = helperEnvironment(env, 'DBUS_SESSION_BUS_ADDRESS');
  return (await runHelper('dbus-send', args, own, signal)).stdout;
}
