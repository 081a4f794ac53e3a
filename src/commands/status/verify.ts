/** `gwtoken status --check`: reads the credentials of each client and asks the endpoint with them. */

import { GwtokenError } from '../../errors';
import { fetchNew } from '../../token/get-token';
import { resolveQuery } from '../../token/query';
import type { WarmWorld } from '../../world/world';
import type { ClientStatus } from './read';

/** What came of it: the seconds that a new token lives (undefined when the endpoint does not say), or the failure. */
export type Verdict = { readonly clientId: string; readonly lifetimeS: number | undefined } | GwtokenError;

type Outside = WarmWorld & Parameters<typeof fetchNew>[1];

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
    const profile = { value: client.profile, source: profileSource };
    const query = resolveQuery(given, { client, profile }, world);
    const { clientId, token } = await fetchNew(query, world);
    return { clientId, lifetimeS: token.lifetimeS };
  } catch (error) {
    if (error instanceof GwtokenError) return error;
    throw error;
  }
}
