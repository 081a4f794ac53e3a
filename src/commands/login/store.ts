/** Storage of a login: the keychain item, the entry among the stored clients, the settings that select it. */

import { type Client, clientName, DEFAULT_PROFILE } from '../../client';
import { GwtokenError, valueOrError } from '../../errors';
import { resolve } from '../../settings/resolve';
import { SETTINGS, type Setting, type SettingSources } from '../../settings/table';
import { withoutTokenPath } from '../../settings/values';
import type { ConfigEdit, KnownEntry, World } from '../../world';

interface NewClient {
  readonly client: Client;
  /** Value of the keychain item. */
  readonly item: string;
  readonly entry: KnownEntry;
  readonly edits: readonly ConfigEdit[];
}

/**
 * Stores a client: its keychain item, its entry in the list of stored clients, its settings. If one of them
 * fails, undoes those before and throws its error.
 *
 * @param limitMs timeout for each of the keychain's answers
 * @returns true if it replaces credentials that were stored before
 */
export async function storeClient(
  { client, item, entry, edits }: NewClient,
  limitMs: number | undefined,
  { keychain, clients, config }: Pick<World, 'keychain' | 'clients' | 'config'>,
): Promise<boolean> {
  const name = clientName(client);
  return await clients.exclusively(async () => {
    const previousEntry = clients.read()[name];
    const previousItem = await keychain.set(name, item, limitMs);
    try {
      await clients.add(name, entry);
      if (edits.length > 0) await config.edit(edits);
      return previousItem !== undefined;
    } catch (error) {
      // The first failure is the one to report.
      await Promise.allSettled([
        previousItem === undefined
          ? keychain.delete(name, limitMs)
          : keychain.set(name, previousItem, limitMs),
        previousEntry ? clients.add(name, previousEntry) : clients.remove([name]),
      ]);
      throw error;
    }
  });
}

/** Returns the settings that a login writes: the auth URL, and the profile's region if it has none. */
export function loginEdits(
  sources: SettingSources,
  client: Client,
  authUrl: Pick<Setting<string>, 'value' | 'text'>,
): ConfigEdit[] {
  const { general, profiles } = sources.config;
  // The default profile uses the general values.
  const profile = client.profile === DEFAULT_PROFILE ? undefined : client.profile;
  const values = profile === undefined ? general : profiles[profile];
  const edits: ConfigEdit[] = [];
  // An invalid one is replaced like any other.
  const current = valueOrError(() => resolve(SETTINGS.authUrl, { ...sources, flags: {}, env: {} }, client));
  if (current instanceof GwtokenError || current?.value !== authUrl.value) {
    const key = `auth-url.${client.region}`;
    if (authUrl.text.includes('{region}')) {
      edits.push({ profile, key: 'auth-url', value: withoutTokenPath(authUrl.text) });
      if (values?.[key] !== undefined) edits.push({ profile, key, value: undefined });
    } else {
      edits.push({ profile, key, value: authUrl.value });
    }
  }
  if (values?.['region'] === undefined) edits.push({ profile, key: 'region', value: client.region });
  return edits;
}
