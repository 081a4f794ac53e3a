import type { World } from '../world';
import type { Client } from './clients';
import type { Given } from './settings';

/** What status tells of a cached token: never the token itself. */
export interface CachedToken {
  /** In milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** The token that is kept for a client, if one is and has not expired. Tokens are not kept between calls yet. */
export async function cachedToken(
  _client: Client,
  _given: Given,
  _world: Pick<World, 'env' | 'now'>,
): Promise<CachedToken | undefined> {
  return undefined;
}
