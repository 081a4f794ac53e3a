/** The selected client's token, for every command that needs one, or an error with its hints. */

import { GwtokenError } from '../errors';
import { resolveClient, settingLines } from '../settings/resolve';
import type { SettingSources } from '../settings/table';
import { getToken, type TokenWorld } from '../token/get-token';
import { type Query, queryOf, type TokenAnswer } from '../token/query';
import { withNextSteps } from './hints';

/** Returns the query of the selected client. Throws a `usage` error for a missing or wrong setting. */
export function selectedQuery(sources: SettingSources, world: TokenWorld): Query {
  const client = resolveClient(sources);
  for (const line of settingLines(sources, client)) world.trace(line);
  return queryOf(sources, client, world);
}

/**
 * Returns a valid token for the selected client, or with `--fresh` a new one. Throws all but `local` errors.
 */
export async function selectedToken(sources: SettingSources, world: TokenWorld): Promise<TokenAnswer> {
  return await tokenOrNextSteps(selectedQuery(sources, world), sources, world);
}

/** Returns a valid token, or rejects with an error that has the next steps among its hints. */
export async function tokenOrNextSteps(
  query: Query,
  sources: SettingSources,
  world: TokenWorld,
): Promise<TokenAnswer> {
  try {
    return await getToken(query, world);
  } catch (error) {
    throw error instanceof GwtokenError ? withNextSteps(error, query, sources) : error;
  }
}
