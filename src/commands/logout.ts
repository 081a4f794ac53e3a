/** The command `gwtoken logout`. */
import { type Client, clientFlags, clientName, parseClientName, shortId } from '../client';
import { notReturned, saysNoKeychain } from '../credentials/keychain-item';
import { failure, GwtokenError, messageOf, usage } from '../errors';
import { gather, resolve } from '../settings/resolve';
import { type FlagValues, SETTINGS } from '../settings/table';
import { warn } from '../text';
import { untilSignal } from '../waiting';
import type { StoredClient, World } from '../world';
import { sayIfCancelled } from './report';
import { clientOrThrow } from './selected-token';

export async function logOut(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const keychainTimeoutMs = resolve(SETTINGS.keychainTimeoutMs, sources)?.value;
  const isAll = flags.all ?? false;
  const clients = isAll ? allClients(flags, world) : [clientOrThrow(nothingStored(), sources, world)];
  const mustAsk = !flags.yes && (await isAnyStored(clients, keychainTimeoutMs, world));
  if (mustAsk && !(await isConfirmed(clients, world))) return;
  await untilSignal(world.onSignals, (signal) => removeAll(clients, keychainTimeoutMs, signal, world));
  world.stderr.write(`${REVOKE}${isAll ? BY_HAND : ''}`);
}

const nothingStored = (): GwtokenError => failure('no-credentials', 'no stored clients');
const REVOKE = 'Removed from this machine only. To revoke the client, use the Clients page.\n';
const BY_HAND = 'Keychain items that you created with another tool are not removed.\n';

/** Returns all stored clients. Throws `usage` if a flag names one: it must be clear what is removed. */
function allClients(flags: FlagValues, { clients }: World): readonly Client[] {
  if ([flags.region, flags.sandbox, flags.profile].some((flag) => flag !== undefined))
    throw usage('--all cannot be used with flags that name a client', 'to remove one client, omit --all');
  const stored = Object.keys(clients.read()).flatMap((name) => parseClientName(name) ?? []);
  if (stored.length === 0) throw nothingStored();
  return stored;
}

/** Returns whether any client is in the list, or has a keychain item, which another tool may have stored. */
async function isAnyStored(
  clients: readonly Client[],
  keychainTimeoutMs: number | undefined,
  { clients: stored, keychain }: World,
): Promise<boolean> {
  for (const name of clients.map(clientName)) {
    if (stored.read()[name]) return true;
    const item = await keychain.get(name, keychainTimeoutMs).catch((error: unknown) => {
      if (!saysNoKeychain(error)) throw error;
    });
    if (item !== undefined) return true;
  }
  return false;
}

/** Prompts for a confirmation and returns the answer; reports if nothing is removed. */
async function isConfirmed(
  clients: readonly Client[],
  { terminal, stderr, clients: stored }: World,
): Promise<boolean> {
  const described = clients.map((client) => {
    const name = clientName(client);
    const entry = stored.read()[name];
    return entry ? `${name} (client ID ${shortId(entry.clientId)})` : name;
  });
  const promptProblem = terminal.promptProblem();
  if (promptProblem !== undefined)
    throw usage(
      `logout needs --yes (cannot prompt: ${promptProblem})`,
      `with --yes it removes ${described.join(', ')}`,
    );
  const question = `Remove ${described.join(', ')}?`;
  const isSure = await sayIfCancelled('removed', { stderr }, () => terminal.confirm(question));
  if (!isSure) stderr.write('Nothing was removed.\n');
  return isSure;
}

/** Removes the clients, each under its lock. If one cannot be removed, the others still are. */
async function removeAll(
  clients: readonly Client[],
  keychainTimeoutMs: number | undefined,
  signal: AbortSignal,
  world: World,
): Promise<void> {
  let failed: unknown;
  for (const client of clients) {
    const name = clientName(client);
    try {
      await world.clients.withLock(name, signal, () => remove(client, keychainTimeoutMs, world));
      world.stderr.write(`Removed ${name}\n`);
    } catch (error) {
      signal.throwIfAborted();
      if (failed !== undefined) warn(world, messageOf(failed));
      failed = error;
    }
  }
  if (failed !== undefined) throw failed;
}

/**
 * Removes a client's keychain item, then its tokens, and last its entry in the list of stored clients. The
 * entry is marked first, so that a logout that was killed or failed in between can be repeated.
 *
 * @throws GwtokenError the keychain's, with nothing removed; `no-credentials` if nothing was stored; `local`
 *   if the cached token remains
 */
async function remove(client: Client, keychainTimeoutMs: number | undefined, world: World): Promise<void> {
  const name = clientName(client);
  const entry = world.clients.read()[name];
  const isListed = entry !== undefined;
  if (isListed) await world.clients.add(name, { ...entry, isLeaving: true });
  const hadItem = await removeItem(client, entry, keychainTimeoutMs, world).catch(async (error) => {
    if (isListed) await world.clients.add(name, entry);
    throw error;
  });
  // Must follow the item's removal: a request that still found the item gets a token of the old generation.
  const remaining = await world.tokens.invalidate(client);
  if (isListed) await world.clients.remove([name]);
  if (remaining.length > 0)
    throw failure('local', `removed ${name}, but not its cached token: ${remaining.join(', ')}`);
  if (!hadItem && !isListed)
    throw failure(
      'no-credentials',
      `no stored credentials for ${name}`,
      'to list stored clients, run: gwtoken status',
    );
}

/** Removes a client's keychain item; returns false if there is none. */
async function removeItem(
  client: Client,
  entry: StoredClient | undefined,
  keychainTimeoutMs: number | undefined,
  { keychain, platform }: World,
): Promise<boolean> {
  const name = clientName(client);
  try {
    if (await keychain.delete(name, keychainTimeoutMs)) return true;
  } catch (error) {
    if (!entry && saysNoKeychain(error)) return false;
    // The keychain's process may have crashed after it removed the item.
    const hasCrashed = error instanceof GwtokenError && error.reason === 'crashed';
    if (!hasCrashed || (await keychain.get(name, keychainTimeoutMs)) !== undefined) throw error;
    return true;
  }
  // libsecret reports an item that it cannot access as absent; the other keychains report an error.
  if (entry && !entry.isLeaving && platform === 'linux')
    throw notReturned(client, hintsIfKept(clientFlags(client)));
  return false;
}

/** Hints if the item may still exist. If it was deleted by hand, logout needs a new item to remove. */
const hintsIfKept = (flags: string): readonly string[] => [
  'allow access in the dialog, or unlock the keyring, and try again',
  `or run: gwtoken login ${flags} --no-verify, then gwtoken logout ${flags}`,
];
