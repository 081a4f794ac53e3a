/** The command `gwtoken logout`. */
import { type Client, clientName, parseClientName, shortId } from '../client';
import { notReturned } from '../credentials/keychain-item';
import { failure, type GwtokenError, Interrupted, usage } from '../errors';
import { gather, isRegionUnset, resolve, resolveClient } from '../settings/resolve';
import { type FlagValues, SETTINGS, type SettingSources } from '../settings/table';
import type { World } from '../world';

export async function logOut(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const limitMs = resolve(SETTINGS.keychainTimeoutMs, sources)?.value;
  const isAll = flags['all'] === true;
  const clients = isAll ? allClients(flags, world) : [selectedClient(sources, world)];
  const mustAsk = flags['yes'] !== true && (await areStored(clients, limitMs, world));
  if (mustAsk && !(await isConfirmed(clients, world))) return;
  let failed: unknown;
  for (const client of clients) {
    // If one cannot be removed, the others still are, and the first failure is reported.
    try {
      await remove(client, limitMs, world);
      world.stderr.write(`Removed ${clientName(client)}\n`);
    } catch (error) {
      failed ??= error;
    }
  }
  if (failed !== undefined) throw failed;
  world.stderr.write(`${REVOKE}${isAll ? BY_HAND : ''}`);
}

const REVOKE = 'Removed from this machine only. To invalidate the client, revoke it on the Clients page.\n';
const BY_HAND = 'Keychain items that you created with another tool are not removed.\n';

const NOT_REMOVED = [
  'allow access in the dialog, or unlock the keyring, and try again',
  'if you removed the item yourself, run: gwtoken login, then gwtoken logout',
];

/** Returns all stored clients. Throws `usage` if a flag names one: it must be clear what is removed. */
function allClients(flags: FlagValues, { clients }: Pick<World, 'clients'>): readonly Client[] {
  const naming = ['region', 'sandbox', 'profile'].find((name) => flags[name] !== undefined);
  if (naming) throw usage(`--all cannot be used with --${naming}`, 'to remove one client, omit --all');
  const stored = Object.keys(clients.read()).flatMap((name) => parseClientName(name) ?? []);
  if (stored.length === 0) throw nothingStored();
  return stored;
}

function nothingStored(): GwtokenError {
  return failure('no-credentials', 'no stored clients');
}

/** Returns the client to remove; says that nothing is stored rather than that no region is set. */
function selectedClient(sources: SettingSources, { clients }: Pick<World, 'clients'>): Client {
  if (isRegionUnset(sources) && Object.keys(clients.read()).length === 0) throw nothingStored();
  return resolveClient(sources);
}

/** Tells if there is anything to ask about; an item may also have been stored with another tool. */
async function areStored(
  clients: readonly Client[],
  limitMs: number | undefined,
  { clients: stored, keychain }: Pick<World, 'clients' | 'keychain'>,
): Promise<boolean> {
  for (const name of clients.map(clientName))
    if (stored.read()[name] || (await keychain.get(name, limitMs)) !== undefined) return true;
  return false;
}

/** Prompts for a confirmation and returns the answer; reports if nothing is removed. */
async function isConfirmed(
  clients: readonly Client[],
  { terminal, stderr, clients: stored }: Pick<World, 'terminal' | 'stderr' | 'clients'>,
): Promise<boolean> {
  const described = clients.map((client) => {
    const name = clientName(client);
    const entry = stored.read()[name];
    return entry ? `${name} (client ID ${shortId(entry.clientId)})` : name;
  });
  const noPrompt = terminal.noPrompt();
  if (noPrompt !== undefined)
    throw usage(
      `logout needs --yes (cannot prompt: ${noPrompt})`,
      `with --yes it removes ${described.join(', ')}`,
    );
  try {
    const isSure = await terminal.confirm(`Remove ${described.join(', ')}?`);
    if (!isSure) stderr.write('Nothing was removed.\n');
    return isSure;
  } catch (error) {
    if (error instanceof Interrupted) stderr.write('Cancelled. Nothing was removed.\n');
    throw error;
  }
}

/**
 * Removes a client from the keychain and from the list of stored clients, and its tokens.
 *
 * @throws GwtokenError that of the keychain, and then nothing is removed; `no-credentials` if there was
 *   nothing to remove; `local` if everything but a cached token was removed
 */
async function remove(
  client: Client,
  limitMs: number | undefined,
  world: Pick<World, 'keychain' | 'clients' | 'tokens' | 'platform'>,
): Promise<void> {
  const name = clientName(client);
  const { clients, keychain } = world;
  const isListed = clients.read()[name] !== undefined;
  const removed = isListed
    ? await clients.exclusively(() => removeListed(client, limitMs, world))
    : await keychain.delete(name, limitMs);
  // Only afterwards: a request that still finds the credentials brings a token of the past generation.
  const left = await world.tokens.invalidate(client);
  if (left.length > 0) {
    const but = removed ? `${name} was removed, but ` : '';
    throw failure(
      'local',
      `${but}a cached token cannot be removed and may still be used: ${left.join(', ')}`,
      'make its directory writable and run gwtoken logout again, or delete the file',
    );
  }
  if (!removed)
    throw failure(
      'no-credentials',
      `no stored credentials for ${name}`,
      'to list stored clients, run: gwtoken status',
    );
}

/**
 * Removes the entry first: an item without one can be removed later, but an entry without its item looks as
 * if the keychain denied it. If the item stays, so does the entry.
 */
async function removeListed(
  client: Client,
  limitMs: number | undefined,
  { keychain, clients, platform }: Pick<World, 'keychain' | 'clients' | 'platform'>,
): Promise<boolean> {
  const name = clientName(client);
  const entry = clients.read()[name];
  await clients.remove([name]);
  try {
    const isDeleted = await keychain.delete(name, limitMs);
    // Only libsecret says of an item that it may not see that there is none.
    if (entry && !isDeleted && platform === 'linux') throw notReturned(client, NOT_REMOVED);
    return isDeleted || entry !== undefined;
  } catch (error) {
    if (entry) await clients.add(name, entry);
    throw error;
  }
}
