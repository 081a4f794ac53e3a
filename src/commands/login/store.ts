import { type Client, clientFlags, clientName } from '../../client';
import { GwtokenError } from '../../errors';
import type { ConfigEdit, KnownEntry } from '../../world/files';
import type { World } from '../../world/world';

/**
 * Stores a client: its keychain item, its entry among the known clients, its settings. If one of them fails, what was
 * done before is undone, and the error is the one that it failed with.
 */
export async function storeClient(
  client: Client,
  item: string,
  entry: KnownEntry,
  edits: readonly ConfigEdit[],
  { keychain, clients, config }: Pick<World, 'keychain' | 'clients' | 'config'>,
): Promise<void> {
  const name = clientName(client);
  const previousItem = await keychain.get(name);
  const previousEntry = clients.read()[name];
  await keychain.set(name, item);
  try {
    await clients.add(name, entry);
    if (edits.length > 0) await config.edit(edits);
  } catch (error) {
    // The first failure is what the person has to know, and of one more while undoing only what it leaves behind.
    const undone = await Promise.allSettled([
      previousItem === undefined ? keychain.delete(name) : keychain.set(name, previousItem),
      previousEntry ? clients.add(name, previousEntry) : clients.remove([name]),
    ]);
    if (undone[0].status === 'fulfilled' || !(error instanceof GwtokenError)) throw error;
    throw error.withHints([`its keychain item stays behind: run gwtoken logout ${clientFlags(client)}`]);
  }
}
