/** The selected client's token, for every command that needs one, or an error with its hints. */

import { GwtokenError } from '../errors';
import { resolveClient } from '../settings/resolve';
import type { SettingSources } from '../settings/table';
import { describeSettings } from '../settings/words';
import { getToken, type TokenWorld } from '../token/get-token';
import type { TokenAnswer, TokenQuery } from '../token/query';
import { withNextSteps } from './hints';
import { queryOf, resolveParts } from './query';

/** Returns the query of the selected client. Throws a `usage` error for a missing or wrong setting. */
export function selectedQuery(sources: SettingSources, world: TokenWorld): TokenQuery {
  const clientSettings = resolveClient(sources);
  const query = queryOf(resolveParts(sources, clientSettings, world), world);
  for (const line of describeSettings(clientSettings, query.authUrl, query.settings)) world.trace(line);
  return query;
}

/**
 * Returns a valid token for the selected client, or with `--fresh` a new one. Throws all but `local` errors.
 */
export async function selectedToken(sources: SettingSources, world: TokenWorld): Promise<TokenAnswer> {
  const query = selectedQuery(sources, world);
  return await tokenOrNextSteps({ ...query, fresh: sources.flags['fresh'] === true }, sources, world);
}

/** Returns a valid token, or rejects with an error that has the next steps among its hints. */
export async function tokenOrNextSteps(
  query: TokenQuery,
  sources: SettingSources,
  world: TokenWorld,
): Promise<TokenAnswer> {
  try {
    return await getToken(query, world);
  } catch (error) {
    throw error instanceof GwtokenError ? withNextSteps(error, query, sources) : error;
  }
}
