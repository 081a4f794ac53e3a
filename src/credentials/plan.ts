/** Which source of credentials wins (contract section 3), as far as that is known without opening the keychain. */

import type { Client } from '../client';
import type { FetchSettings } from '../settings/resolve';
import type { Setting, Source } from '../settings/setting';
import type { World } from '../world/world';
import type { Credentials } from './credentials';
import { variableCredentials, variableNames } from './from-variables';

/** Where a run takes its credentials from, as far as that is known without opening the keychain. */
export type CredentialPlan =
  | { readonly kind: 'variables'; readonly credentials: Credentials }
  | { readonly kind: 'command'; readonly command: Setting<string> }
  | { readonly kind: 'keychain' };

/**
 * The source that wins for a client. A profile named by a flag skips the variables, as `aws --profile` does.
 *
 * @throws GwtokenError `usage` for half a pair of variables
 */
export function planCredentials(
  client: Client,
  profileSource: Source,
  { credentialCommand }: Pick<FetchSettings, 'credentialCommand'>,
  world: Pick<World, 'env' | 'readFile' | 'trace'>,
): CredentialPlan {
  const credentials = profileSource.kind === 'flag' ? undefined : variableCredentials(client, world);
  if (credentials) return { kind: 'variables', credentials };
  return credentialCommand ? { kind: 'command', command: credentialCommand } : { kind: 'keychain' };
}

/** The variables that are set for a client, which would be used before its keychain item. */
export function variablesFirst(
  client: Client,
  profileSource: Source,
  { env }: Pick<World, 'env'>,
): readonly string[] {
  return profileSource.kind === 'flag' ? [] : variableNames(client).filter((name) => env[name]);
}
