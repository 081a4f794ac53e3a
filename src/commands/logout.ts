import { clientName } from '../client';
import { GwtokenError } from '../errors';
import { COMMAND_FLAGS } from '../flags';
import { gather, resolveClient } from '../settings/resolve';
import type { World } from '../world/world';
import type { Command } from './command';

export const logoutCommand: Command = {
  name: 'logout',
  summary: "remove a client's credentials from the keychain",
  flags: COMMAND_FLAGS.logout,
  group: 'client',
  examples: [
    { line: 'gwtoken logout --region us', does: 'remove the US client, and its cached token' },
    { line: 'gwtoken logout --all --yes', does: 'remove every known client, without a question' },
  ],
  exitCodes: [4, 5],
  async run(flags, outside) {
    const { limitedKeychain } = await import('../credentials/limited-keychain');
    const world = { ...outside, keychain: limitedKeychain(gather(flags, outside), outside) };
    const removed =
      flags['all'] === true ? await removeAll(flags['yes'] === true, world) : await removeOne(flags, world);
    for (const name of removed) world.stderr.write(`Removed the credentials of ${name} from the keychain\n`);
    if (removed.length > 0) {
      world.stderr.write(
        'If they may be in wrong hands, revoke them on the Clients page too: they still work until then\n',
      );
    }
  },
};

async function removeOne(flags: Parameters<NonNullable<Command['run']>>[0], world: World): Promise<string[]> {
  const name = clientName(resolveClient(gather(flags, world)).client);
  if (await removeClient(name, world)) return [name];
  throw new GwtokenError('no-credentials', `there are no stored credentials for ${name}`, {
    hints: ['see which are stored: gwtoken status'],
  });
}

/** Every known client; if one cannot be removed the others still are, and the first failure is reported. */
async function removeAll(yes: boolean, world: World): Promise<string[]> {
  const names = Object.keys(world.clients.read());
  const unknown = 'Items made by hand are not known to gwtoken: remove them with the tool that made them';
  if (names.length === 0) {
    world.stderr.write(`gwtoken knows of no stored client. ${unknown}\n`);
    return [];
  }
  if (!yes) {
    if (!world.terminal.canAsk()) {
      throw new GwtokenError('usage', 'logout --all needs --yes, since there is no terminal to ask on', {
        hints: [`it would remove: ${names.join(', ')}`],
      });
    }
    if (!(await world.terminal.confirm(`Remove the credentials of ${names.join(', ')}?`))) return [];
  }
  const removed: string[] = [];
  let failure: unknown;
  for (const name of names) {
    try {
      await removeClient(name, world);
      removed.push(name);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) {
    for (const name of removed) world.stderr.write(`Removed the credentials of ${name} from the keychain\n`);
    throw failure;
  }
  world.stderr.write(`${unknown}\n`);
  return removed;
}

/** Whether there was anything to remove: in the keychain, or at least among the known clients. */
async function removeClient(
  name: string,
  { keychain, clients, tokens }: Pick<World, 'keychain' | 'clients' | 'tokens'>,
): Promise<boolean> {
  await tokens.remove((client) => clientName(client) === name);
  const removed = await keychain.delete(name);
  const known = clients.read()[name] !== undefined;
  if (known) await clients.remove([name]);
  return removed || known;
}
