/** `gwtoken status --check`: reads the credentials of each client and asks the endpoint with them. */

import { findCredentials } from '../../credentials/find';
import { wantedSource } from '../../credentials/source';
import { GwtokenError } from '../../errors';
import { resolveFetchSettings } from '../../settings/fetch-settings';
import { requireAuthUrl } from '../../settings/resolve';
import { fetchToken } from '../../token/fetch';
import type { World } from '../../world/world';
import type { ClientStatus } from './read';

/** What came of it: the seconds that a new token lives (undefined when the endpoint does not say), or the failure. */
export type Verdict = { readonly clientId: string; readonly lifetimeS: number | undefined } | GwtokenError;

type Outside = Parameters<typeof findCredentials>[5] &
  Parameters<typeof fetchToken>[6] &
  Pick<World, 'readFile'>;

/** Reasons that the keychain has for one client and would have for the next, after the same wait. */
const SAME_FOR_ALL = ['locked', 'denied', 'timed-out', 'crashed'];

/** One after the other: a keychain that asks a person something is asked once. */
export async function checkClients(
  statuses: readonly ClientStatus[],
  world: Outside,
): Promise<Map<ClientStatus, Verdict>> {
  const verdicts = new Map<ClientStatus, Verdict>();
  let closed: GwtokenError | undefined;
  for (const status of statuses) {
    const { credentials } = status;
    const fromKeychain = !(credentials instanceof GwtokenError) && credentials.kind === 'keychain';
    const verdict = fromKeychain && closed ? closed : await checkClient(status, world);
    if (verdict instanceof GwtokenError && SAME_FOR_ALL.includes(verdict.reason ?? '')) closed ??= verdict;
    verdicts.set(status, verdict);
  }
  return verdicts;
}

async function checkClient({ client, given, profileSource }: ClientStatus, world: Outside): Promise<Verdict> {
  try {
    const authUrl = requireAuthUrl(given, client);
    const settings = resolveFetchSettings(given, client.profile);
    const wanted = wantedSource(client, profileSource, settings, world);
    const credentials = await findCredentials(wanted, given, client, authUrl, settings, world);
    const deadlineMs = world.now() + 3 * settings.timeoutMs.value;
    const { lifetimeS } = await fetchToken(given, client, authUrl, credentials, settings, deadlineMs, world);
    return { clientId: credentials.clientId, lifetimeS };
  } catch (error) {
    if (error instanceof GwtokenError) return error;
    throw error;
  }
}
