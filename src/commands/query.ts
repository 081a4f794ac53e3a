/** From settings to a query: the client, its auth URL, its credentials and the limits. */

import type { Client } from '../client';
import { type CredentialPlan, planCredentials } from '../credentials/plan';
import { attempt, GwtokenError } from '../errors';
import {
  type ClientSettings,
  requireAuthUrl,
  resolveFetchSettings,
  resolveSetting,
} from '../settings/resolve';
import { type AuthUrl, type FetchSettings, SETTINGS, type SettingSources } from '../settings/table';
import { endpointQuery, type TokenQuery } from '../token/query';
import type { QuickWorld } from '../world';

/** Settings of one client, each resolved by itself: a wrong one does not hide the others. */
export interface ClientParts {
  readonly client: Client;
  readonly skipVariables: boolean;
  readonly settings: FetchSettings | GwtokenError;
  /** The auth URL; if none is set, an error of the reason `not-set`. */
  readonly authUrl: AuthUrl | GwtokenError;
  readonly plan: CredentialPlan | GwtokenError;
}

/**
 * Resolves the settings of a client.
 *
 * @param verifiedUrl the auth URL of the cached token, which is not parsed again if it is still set
 */
export function resolveParts(
  sources: SettingSources,
  { client, skipVariables }: Pick<ClientSettings, 'client' | 'skipVariables'>,
  world: Pick<QuickWorld, 'env' | 'readFile'>,
  verifiedUrl?: string,
): ClientParts {
  return {
    client,
    skipVariables,
    settings: attempt(() => resolveFetchSettings(sources, client.profile)),
    authUrl: attempt(() => requireAuthUrl(sources, client, verifiedUrl)),
    plan: attempt(() => planOf(sources, { client, skipVariables }, world)),
  };
}

/** Returns the source of a client's credentials. Throws `usage` for half a pair of variables. */
export function planOf(
  sources: SettingSources,
  { client, skipVariables }: Pick<ClientSettings, 'client' | 'skipVariables'>,
  world: Pick<QuickWorld, 'env' | 'readFile'>,
): CredentialPlan {
  const command = resolveSetting(SETTINGS.credentialCommand, sources, client.profile);
  return planCredentials({ client, skipVariables }, command, world);
}

/** Returns a client's query. Throws the error of its settings, auth URL or credentials, in this order. */
export function queryOf(parts: ClientParts, world: Pick<QuickWorld, 'now'>): TokenQuery {
  const { client, skipVariables, settings, authUrl, plan } = parts;
  if (settings instanceof GwtokenError) throw settings;
  if (authUrl instanceof GwtokenError) throw authUrl;
  if (plan instanceof GwtokenError) throw plan;
  return {
    ...endpointQuery({ client, authUrl, settings }, world),
    authUrl,
    plan,
    skipVariables,
    fresh: false,
  };
}
