import { type Client, clientName, DEFAULT_PROFILE, parseClientName, shortId } from '../client';
import { attempt, failure, GwtokenError, usage } from '../errors';
import {
  flagsOnly,
  gather,
  isRegionUnset,
  resolveClient,
  resolveEnvironment,
  resolveProfile,
  resolveRegion,
  resolveSetting,
} from '../settings/resolve';
import { type FlagValues, SETTINGS, type SettingSources } from '../settings/table';
import { Interrupted } from '../signals';
import type { World } from '../world';
import type { Command } from './command';
import { NAMING_FLAGS, VERBOSE } from './flags';

export const logoutCommand: Command = {
  name: 'logout',
  summary: "remove a client's stored credentials and cached token",
  flags: [
    ...NAMING_FLAGS,
    { name: 'all', group: 'client', help: 'remove all stored clients that the flags name' },
    { name: 'yes', short: 'y', group: 'general', help: 'skip the confirmation' },
    VERBOSE,
  ],
  group: 'client',
  examples: [
    { line: 'gwtoken logout --region us', does: 'remove the US client' },
    { line: 'gwtoken logout --all --yes', does: 'remove all stored clients without asking' },
    { line: 'gwtoken logout --all --profile acme', does: "remove profile acme's clients" },
  ],
  async run(flags, world) {
    const sources = gather(flags, world);
    const limitMs = resolveSetting(SETTINGS.keychainTimeoutMs, sources)?.value;
    const isAll = flags['all'] === true;
    const clients = isAll ? storedClients(sources, world) : [selectedClient(sources, world)];
    if (clients.length === 0) {
      world.stderr.write(`No stored clients${isFiltered(flags) ? ' that these flags name' : ''}. ${BY_HAND}`);
      return;
    }
    if (flags['yes'] !== true && !(await isConfirmed(clients, isAll, world))) return;
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
  },
};

const REVOKE = 'Removed from this machine only. To invalidate the client, revoke it on the Clients page.\n';
const BY_HAND = 'Keychain items that you created with another tool are not removed.\n';

/** Returns the stored clients that the flags name: all of them, if there are no such flags. */
function storedClients(sources: SettingSources, { clients }: Pick<World, 'clients'>): Client[] {
  const { flags } = sources;
  const named = flagsOnly(sources);
  const { value: profile } = resolveProfile(named);
  const environment = resolveEnvironment(named, profile).value;
  const region = resolveRegion(named, profile)?.value;
  return Object.keys(clients.read())
    .flatMap((name) => parseClientName(name) ?? [])
    .filter((client) => flags['profile'] === undefined || client.profile === profile)
    .filter((client) => flags['sandbox'] === undefined || client.environment === environment)
    .filter((client) => region === undefined || client.region === region);
}

function isFiltered(flags: FlagValues): boolean {
  return NAMING_FLAGS.some(({ name }) => flags[name] !== undefined);
}

/** Returns the client to remove; says that nothing is stored rather than that no region is set. */
function selectedClient(sources: SettingSources, world: Pick<World, 'clients'>): Client {
  const selected = attempt(() => resolveClient(sources).client);
  if (!(selected instanceof GwtokenError)) return selected;
  if (!isRegionUnset(sources) || Object.keys(world.clients.read()).length > 0) throw selected;
  throw failure(
    'no-credentials',
    'no stored clients',
    'to remove an item that you created, name its --region',
  );
}

/** Returns a client in words: `the EU production client abcd…wxyz`. */
function described(client: Client, { clients }: Pick<World, 'clients'>): string {
  const { profile, environment, region } = client;
  const stored = clients.read()[clientName(client)];
  const id = stored === undefined ? '' : ` ${shortId(stored.clientId)}`;
  const whose = profile === DEFAULT_PROFILE ? '' : ` of profile ${profile}`;
  return `the ${region.toUpperCase()} ${environment} client${id}${whose}`;
}

/** Prompts for a confirmation and returns the answer; reports if nothing is removed. */
async function isConfirmed(
  clients: readonly Client[],
  isAll: boolean,
  world: Pick<World, 'terminal' | 'stderr' | 'clients'>,
): Promise<boolean> {
  const { terminal, stderr } = world;
  const noPrompt = terminal.noPrompt();
  if (noPrompt !== undefined) {
    // A script that names one client has said what it wants.
    if (!isAll) return true;
    throw usage(
      `logout --all needs --yes (cannot prompt: ${noPrompt})`,
      `it would remove: ${clients.map(clientName).join(', ')}`,
    );
  }
  try {
    const isSure = await terminal.confirm(
      `Remove ${clients.map((each) => described(each, world)).join(', ')}?`,
    );
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
 * @throws GwtokenError that of the keychain; `no-credentials` if there was nothing to remove; `local` if
 *   everything but a cached token was removed
 */
async function remove(
  client: Client,
  limitMs: number | undefined,
  { keychain, clients, tokens }: Pick<World, 'keychain' | 'clients' | 'tokens'>,
): Promise<void> {
  const name = clientName(client);
  let removed: boolean;
  let left: readonly string[] = [];
  try {
    removed = await keychain.delete(name, limitMs);
  } finally {
    // Only afterwards: a request that still finds the credentials brings a token of the past generation.
    left = await tokens.invalidate(client);
  }
  if (clients.read()[name] !== undefined) {
    await clients.remove([name]);
    removed = true;
  }
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
