/** `gwtoken status --check`: reads the credentials of each client and asks the endpoint with them. */

import { GwtokenError } from '../../errors';
import { fetchNew } from '../../token/get-token';
import { resolveQuery } from '../../token/query';
import type { WarmWorld } from '../../world';
import type { ClientStatus, Verdict } from './read';

type Outside = WarmWorld & Parameters<typeof fetchNew>[1];

/** Reasons that the keychain has for one client and would have for the next, after the same wait. */
const SAME_FOR_ALL = ['no-collection', 'locked', 'not-started', 'silent', 'timed-out', 'crashed'];

/** The same clients with their verdicts. One after the other: a keychain that asks a person something is asked once. */
export async function verifyClients(
  clients: readonly ClientStatus[],
  world: Outside,
): Promise<readonly ClientStatus[]> {
  const verified: ClientStatus[] = [];
  let closed: GwtokenError | undefined;
  for (const each of clients) {
    const { credentials } = each;
    const fromKeychain = !(credentials instanceof GwtokenError) && credentials.kind === 'keychain';
    const verdict = fromKeychain && closed ? closed : await verify(each, world);
    if (verdict instanceof GwtokenError && SAME_FOR_ALL.includes(verdict.reason ?? '')) closed ??= verdict;
    verified.push({ ...each, verdict });
  }
  return verified;
}

async function verify(status: ClientStatus, world: Outside): Promise<Verdict> {
  try {
    const { clientId, token } = await fetchNew(resolveQuery(status.given, status, world), world);
    return { clientId, lifetimeS: token.lifetimeS };
  } catch (error) {
    if (error instanceof GwtokenError) return error;
    throw error;
  }
}
