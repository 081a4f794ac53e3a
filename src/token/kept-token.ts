import type { Client } from '../client';
import { GwtokenError } from '../errors';
import type { Given, Source } from '../settings/setting';
import type { WarmWorld } from '../world/world';
import { ownEntry } from './cache';
import { isFromFuture } from './cache-entry';
import { resolveQuery } from './query';
import { expiresAtMs } from './token';

/** What status tells of a cached token: never the token itself. */
export interface KeptToken {
  /** In milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** The token that is kept for a client, if it is of the credentials and the address that would be used now. */
export function keptToken(
  given: Given,
  client: Client,
  profileSource: Source,
  world: WarmWorld,
): KeptToken | undefined {
  try {
    const profile = { value: client.profile, source: profileSource };
    const entry = ownEntry(resolveQuery(given, { client, profile }, world), world);
    const expiresAt = entry && !isFromFuture(entry, world.now()) ? expiresAtMs(entry.token) : undefined;
    return expiresAt !== undefined && expiresAt > world.now() ? { expiresAtMs: expiresAt } : undefined;
  } catch (error) {
    // Settings that a token cannot be asked for with have their own line in the status.
    if (error instanceof GwtokenError) return undefined;
    throw error;
  }
}
