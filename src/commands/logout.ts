import { type Client, clientName, loginCommand, parseClientName, shortId } from '../client';
import { notReturned, saysNoKeychain } from '../credentials/keychain';
import { GwtokenError, messageOf, usage } from '../errors';
import { storedClients } from '../hints/steps';
import { warn } from '../note';
import type { FlagValues, Settings } from '../settings/table';
import { untilSignal } from '../signals';
import type { World } from '../world';
import { readSettings } from './selected-token';

export async function logOut(flags: FlagValues, world: World): Promise<void> {
  const settings = readSettings(flags, world);
  const clients = flags.all ? await allClients(settings, world) : [settings.client];
  if (!flags.all && !flags.yes && !(await isThere(settings, world)))
    throw nothingThere(settings, settings.client);
  if (clients.length > 0 && !flags.yes && !(await isConfirmed(clients, settings, world))) return;
  await untilSignal(world.onSignals, async (signal) => {
    const errors: unknown[] = [];
    for (const client of clients) {
      const removed = await remove(client, settings, world).catch((error) => void errors.push(error));
      signal.throwIfAborted();
      if (removed !== undefined) world.stderr.write(`Removed ${removed}\n`);
    }
    for (const error of errors.slice(1)) warn(world, messageOf(error));
    if (errors.length > 0) throw errors[0];
    // A client without a token may have a cached failure.
    if (flags.all) await world.tokens.remove(() => true);
  });
  if (clients.length === 0) throw nothingThere(settings);
  world.stderr.write('Removed from this machine only. To revoke the client, use the Clients page.\n');
}

function nothingThere(settings: Settings, client?: Client): GwtokenError {
  const message = `no stored credentials or cached tokens${client ? ` for ${clientName(client)}` : ''}`;
  return new GwtokenError('no-credentials', message, storedClients(settings));
}

/** Returns whether the selected client has an entry in the list, a cached token or a keychain item. */
async function isThere(settings: Settings, world: World): Promise<boolean> {
  const name = clientName(settings.client);
  if (settings.stored()[name] || world.tokens.clientNames().includes(name)) return true;
  return (await accountsIn(settings, world)).includes(name);
}

/**
 * Returns all clients that have a keychain item, an entry in the list of stored clients or a cached token.
 * Throws `usage` if a flag names one client, or the keychain's error.
 */
async function allClients(settings: Settings, world: World): Promise<readonly Client[]> {
  const { flags, stored } = settings;
  if ([flags.region, flags.sandbox, flags.profile].some((flag) => flag !== undefined))
    throw usage('--all cannot be used with flags that name a client', ['to remove one client, omit --all']);
  // The list is lost with the config directory, and a cached token with the cache.
  const accounts = await accountsIn(settings, world);
  const names = new Set([...Object.keys(stored()), ...accounts, ...world.tokens.clientNames()]);
  return [...names].sort().flatMap((name) => parseClientName(name) ?? []);
}

/** Returns the accounts that have an item; none if there is no keychain. */
async function accountsIn({ keychainTimeoutMs }: Settings, { keychain }: World): Promise<readonly string[]> {
  return await keychain.accounts(keychainTimeoutMs?.value).catch((error: unknown) => {
    if (saysNoKeychain(error)) return [];
    throw error;
  });
}

/** Prompts for a confirmation and returns the answer. Throws `usage` where nobody can be asked. */
async function isConfirmed(
  clients: readonly Client[],
  { stored }: Settings,
  { terminal, stderr }: World,
): Promise<boolean> {
  const described = clients.map(clientName).map((name) => {
    const entry = stored()[name];
    return entry ? `${name} (client ID ${shortId(entry.clientId)})` : name;
  });
  const names = described.join(', ');
  const promptProblem = terminal.promptProblem();
  if (promptProblem !== undefined)
    throw usage(`logout needs --yes (cannot prompt: ${promptProblem})`, [`to remove ${names}, add --yes`]);
  const isSure = await terminal.confirm(`Remove ${names}?`);
  if (!isSure) stderr.write('Nothing was removed.\n');
  return isSure;
}

/**
 * Removes a client's keychain item, then its tokens, and last its entry in the list of stored clients, so
 * that an interrupted logout can be repeated. Returns what it removed.
 *
 * @throws GwtokenError the keychain's, with nothing removed; `no-credentials` if nothing was there; `local`
 *   if a token or the entry remains
 */
async function remove(client: Client, settings: Settings, world: World): Promise<string> {
  const { clients, tokens } = world;
  const name = clientName(client);
  // Read again, because another login or logout may have run during the prompt.
  const isListed = clients.read()[name] !== undefined;
  const hadItem = await removeItem(client, isListed, settings, world);
  const hadTokens = tokens.clientNames().includes(name);
  // Must follow the item's removal: a request that still found the item now loses its lock, and so its token.
  const kept = await tokens.remove((other) => clientName(other) === name);
  // Without its entry, a token that cannot be removed is no longer used.
  if (isListed) await clients.remove(name);
  if (kept.length > 0)
    throw new GwtokenError('local', `removed ${name}, but not its cached token: ${kept.join(', ')}`);
  if (hadItem || isListed) return name;
  if (hadTokens) return `the cached tokens of ${name}`;
  throw nothingThere(settings, client);
}

/**
 * Removes a client's keychain item; returns false if there was none. Throws the keychain's error, but a
 * client that is not listed needs no keychain.
 */
async function removeItem(
  client: Client,
  isListed: boolean,
  settings: Settings,
  world: World,
): Promise<boolean> {
  const name = clientName(client);
  try {
    const outcome = await world.keychain.delete(name, settings.keychainTimeoutMs?.value);
    if (outcome !== 'hidden') return outcome === 'removed';
  } catch (error) {
    if (isListed || !saysNoKeychain(error)) throw error;
    return false;
  }
  // Without an entry or an account, nothing shows that a locked keyring contains an item of this client.
  const exists = isListed || (await accountsIn(settings, world)).includes(name);
  if (!exists) return false;
  throw notReturned(client, [
    'allow access in the dialog, or unlock the keyring, and try again',
    // If the item was removed by hand, logout needs a new one to remove.
    `or run: ${loginCommand(client, settings.flags)} --no-verify, and log out again`,
  ]);
}
