/** What login stores: the keychain item, the entry among the known clients, and the settings that select it. */

import { type Client, clientFlags, clientName, DEFAULT_PROFILE } from '../../client';
import { attempt, GwtokenError } from '../../errors';
import { configAuthUrl } from '../../settings/resolve';
import type { AuthUrl, Given } from '../../settings/table';
import type { Config, ConfigEdit, ConfigValues, KnownEntry, World } from '../../world';

/**
 * Stores a client: its keychain item, its entry in the list of stored clients, its settings. If one of them fails, what was
 * done before is undone, and its error is thrown.
 *
 * @returns whether credentials that were stored before are replaced
 */
export async function storeClient(
  client: Client,
  item: string,
  entry: KnownEntry,
  edits: readonly ConfigEdit[],
  { keychain, clients, config }: Pick<World, 'keychain' | 'clients' | 'config'>,
): Promise<boolean> {
  const name = clientName(client);
  const previousEntry = clients.read()[name];
  const previousItem = await keychain.set(name, item);
  try {
    await clients.add(name, entry);
    if (edits.length > 0) await config.edit(edits);
    return previousItem !== undefined;
  } catch (error) {
    // The first failure is reported; a second one, while undoing, only by what it leaves behind.
    const undone = await Promise.allSettled([
      previousItem === undefined ? keychain.delete(name) : keychain.set(name, previousItem),
      previousEntry ? clients.add(name, previousEntry) : clients.remove([name]),
    ]);
    if (undone[0].status === 'fulfilled' || !(error instanceof GwtokenError)) throw error;
    throw error.withHints([
      `the keychain item could not be removed; run: gwtoken logout ${clientFlags(client)}`,
    ]);
  }
}

/**
 * The auth URL goes to `[sandbox.]auth-url.<region>` of the profile, or to `[sandbox.]auth-url` if it has `{region}`;
 * the first login of a profile sets its region. What the config already says is not written again.
 */
export function loginEdits(
  given: Given,
  client: Client,
  authUrl: Pick<AuthUrl, 'value' | 'template'>,
): ConfigEdit[] {
  const { config } = given;
  const edits: ConfigEdit[] = [];
  // One that is no address is replaced like any other.
  const before = attempt(() => configAuthUrl(given, client));
  if (before instanceof GwtokenError || before?.value !== authUrl.value) {
    const general = client.environment === 'sandbox' ? 'sandbox.auth-url' : 'auth-url';
    const specific = `${general}.${client.region}`;
    const profile = levelFor(config, client.profile, [general, specific]);
    if (authUrl.template.includes('{region}')) {
      edits.push({ profile, key: general, value: authUrl.template });
      if (valuesAt(config, profile)?.[specific] !== undefined)
        edits.push({ profile, key: specific, value: undefined });
    } else {
      edits.push({ profile, key: specific, value: authUrl.value });
    }
  }
  const profile = levelFor(config, client.profile, ['region']);
  if (valuesAt(config, profile)?.['region'] === undefined)
    edits.push({ profile, key: 'region', value: client.region });
  return edits;
}

/**
 * The default profile writes general values, which the other profiles fall back to, unless it has values of its own
 * (from `config set --profile default`), which would hide them.
 */
function levelFor(config: Config, profile: string, keys: readonly string[]): string | undefined {
  const own = config.profiles[profile];
  return profile === DEFAULT_PROFILE && !keys.some((key) => own?.[key] !== undefined) ? undefined : profile;
}

function valuesAt(config: Config, profile: string | undefined): ConfigValues | undefined {
  return profile === undefined ? config.general : config.profiles[profile];
}
