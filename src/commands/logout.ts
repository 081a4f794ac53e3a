import { type Client, clientName, parseClientName } from '../client';
import { GwtokenError } from '../errors';
import { CLIENT_FLAGS, VERBOSE } from '../flags';
import { gather, resolveClient } from '../settings/resolve';
import type { World } from '../world/world';
import type { Command } from './command';

export const logoutCommand: Command = {
  name: 'logout',
  summary: "remove a client's credentials from the keychain",
  flags: [
    ...CLIENT_FLAGS,
    { name: 'all', group: 'client', help: 'every known client' },
    { name: 'yes', short: 'y', group: 'general', help: 'do not ask' },
    VERBOSE,
  ],
  group: 'client',
  examples: [
    { line: 'gwtoken logout --region us', does: 'remove the US client, and its cached token' },
    { line: 'gwtoken logout --all --yes', does: 'remove every known client, without a question' },
  ],
  exitCodes: [4, 5],
  async run(flags, outside) {
    const given = gather(flags, outside);
    const { limitedKeychain } = await import('../credentials/keychain-item');
    const world = { ...outside, keychain: limitedKeychain(given, outside) };
    if (flags['all'] === true) await removeAll(flags['yes'] === true, world);
    else await removeOne(resolveClient(given).client, world);
  },
};

const REVOKE =
  'If they may be in wrong hands, revoke them on the Clients page too: they still work until then\n';
const BY_HAND = 'Items made by hand are not known to gwtoken: remove them with the tool that made them\n';

async function removeOne(client: Client, world: World): Promise<void> {
  const name = clientName(client);
  if (await removeClient(client, world)) {
    world.stderr.write(`${removedText(name)}${REVOKE}`);
    return;
  }
  throw new GwtokenError('no-credentials', `there are no stored credentials for ${name}`, {
    hints: ['see which are stored: gwtoken status'],
  });
}

/** Every known client; if one cannot be removed the others still are, and the first failure is reported. */
async function removeAll(yes: boolean, world: World): Promise<void> {
  const names = Object.keys(world.clients.read());
  if (names.length === 0) {
    world.stderr.write(`gwtoken knows of no stored client. ${BY_HAND}`);
    return;
  }
  if (!yes && !(await isConfirmed(names.join(', '), world))) return;
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
  world.stderr.write(failure === undefined ? `${BY_HAND}${removed}${REVOKE}` : removed);
  if (failure !== undefined) throw failure;
}

async function isConfirmed(names: string, { terminal }: Pick<World, 'terminal'>): Promise<boolean> {
  if (terminal.canAsk()) return await terminal.confirm(`Remove the credentials of ${names}?`);
  throw new GwtokenError('usage', 'logout --all needs --yes, since there is no terminal to ask on', {
    hints: [`it would remove: ${names}`],
  });
}

function removedText(name: string): string {
  return `Removed the credentials of ${name} from the keychain\n`;
}

/**
 * Whether there was anything to remove: in the keychain, or at least among the known clients.
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
  const done = removed || known ? `the credentials of ${name} are removed, but ` : '';
  throw new GwtokenError('local', `${done}a cached token cannot be removed and may still be used: ${left}`, {
    hints: ['make its folder writable, then run gwtoken logout again; or remove the file'],
  });
}
