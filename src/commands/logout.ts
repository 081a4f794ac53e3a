import { type Client, clientName, parseClientName } from '../client';
import { failure, Interrupted, usage } from '../errors';
import { gather, resolveClient } from '../settings/resolve';
import type { World } from '../world';
import type { Command } from './command';
import { CLIENT_FLAGS, VERBOSE } from './flags';

export const logoutCommand: Command = {
  name: 'logout',
  summary: "remove a client's stored credentials and cached token",
  flags: [
    ...CLIENT_FLAGS,
    { name: 'all', group: 'client', help: 'remove all stored clients' },
    { name: 'yes', short: 'y', group: 'general', help: 'skip the confirmation' },
    VERBOSE,
  ],
  group: 'client',
  examples: [
    { line: 'gwtoken logout --region us', does: 'remove the US client' },
    { line: 'gwtoken logout --all --yes', does: 'remove all stored clients without asking' },
  ],
  async run(flags, outside) {
    const given = gather(flags, outside);
    const { limitedKeychain } = await import('../credentials/keychain-item');
    const world = { ...outside, keychain: limitedKeychain(given, outside) };
    const isSure = flags['yes'] === true;
    if (flags['all'] === true) await removeAll(isSure, world);
    else await removeOne(resolveClient(given).client, isSure, world);
  },
};

const REVOKE = 'Removed from this machine only. To invalidate the client, revoke it on the Clients page.\n';
const BY_HAND = 'Keychain items that you created with another tool are not removed.\n';

/** A script that names one client has said what it wants. */
async function removeOne(client: Client, isSure: boolean, world: World): Promise<void> {
  const name = clientName(client);
  const canAsk = world.terminal.noPrompt() === undefined;
  if (!isSure && canAsk && !(await isConfirmed([name], world))) return;
  if (await removeClient(client, world)) {
    world.stderr.write(`${removedText(name)}${REVOKE}`);
    return;
  }
  throw failure(
    'no-credentials',
    `no stored credentials for ${name}`,
    'to list stored clients, run: gwtoken status',
  );
}

/** Every stored client; if one cannot be removed the others still are, and the first failure is reported. */
async function removeAll(isSure: boolean, world: World): Promise<void> {
  const names = Object.keys(world.clients.read());
  if (names.length === 0) {
    world.stderr.write(`No stored clients. ${BY_HAND}`);
    return;
  }
  const noPrompt = world.terminal.noPrompt();
  if (!isSure && noPrompt !== undefined)
    throw usage(
      `logout --all needs --yes (cannot prompt: ${noPrompt})`,
      `it would remove: ${names.join(', ')}`,
    );
  if (!isSure && !(await isConfirmed(names, world))) return;
  let failure: unknown;
  let removed = '';
  for (const name of names) {
    try {
      const client = parseClientName(name);
      if (client) await removeClient(client, world);
      else await world.clients.remove([name]);
      removed += removedText(name);
    } catch (error) {
      failure ??= error;
    }
  }
  world.stderr.write(failure === undefined ? `${removed}${REVOKE}${BY_HAND}` : removed);
  if (failure !== undefined) throw failure;
}

/** Asks the person; says so if nothing is to be removed. */
async function isConfirmed(
  names: readonly string[],
  { terminal, stderr }: Pick<World, 'terminal' | 'stderr'>,
): Promise<boolean> {
  const which = names.join(', ');
  const what = names.length === 1 ? `stored client ${which}` : `${names.length} stored clients (${which})`;
  try {
    const isSure = await terminal.confirm(`Remove ${what}?`);
    if (!isSure) stderr.write('Nothing was removed.\n');
    return isSure;
  } catch (error) {
    if (error instanceof Interrupted) stderr.write('Cancelled. Nothing was removed.\n');
    throw error;
  }
}

function removedText(name: string): string {
  return `Removed ${name}\n`;
}

/**
 * Whether there was anything to remove: in the keychain, or at least in the list of stored clients.
 *
 * @throws GwtokenError what the keychain says; `local` when all else is removed and a cached token is not
 */
async function removeClient(
  client: Client,
  { keychain, clients, tokens }: Pick<World, 'keychain' | 'clients' | 'tokens'>,
): Promise<boolean> {
  const name = clientName(client);
  let removed: boolean;
  let left: readonly string[] = [];
  try {
    removed = await keychain.delete(name);
  } finally {
    // Afterwards: a request that finds the credentials until then brings a token of the past.
    left = await tokens.renew(client);
  }
  const known = clients.read()[name] !== undefined;
  if (known) await clients.remove([name]);
  if (left.length === 0) return removed || known;
  const done = removed || known ? `${name} was removed, but ` : '';
  throw failure(
    'local',
    `${done}a cached token cannot be removed and may still be used: ${left}`,
    'make its directory writable and run gwtoken logout again, or delete the file',
  );
}
