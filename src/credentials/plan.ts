/** Where a client's credentials will be taken from: the order is written only here. */

import { type Client, clientName } from '../client';
import { type ClientSettings, resolveSetting } from '../settings/resolve';
import { type AuthUrl, SETTINGS, type Setting, type SettingSources } from '../settings/table';
import type { World } from '../world';
import type { Credentials } from './credentials';
import { variableCredentials } from './variables';

/** The source that takes precedence, and its name as messages have it. */
export type CredentialPlan =
  | { readonly kind: 'variables'; readonly name: string; readonly credentials: Credentials }
  | { readonly kind: 'command'; readonly name: string; readonly command: Setting<string> }
  | { readonly kind: 'keychain'; readonly name: string };

/** Whose credentials are looked for, where, and for which auth URL. */
export interface CredentialQuery {
  readonly plan: CredentialPlan;
  readonly sources: SettingSources;
  readonly client: Client;
  readonly authUrl: AuthUrl;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plans where the credentials of a client come from, without running the command or opening the keychain.
 *
 * @throws GwtokenError `usage` for half a pair of variables, or a secret's file that cannot be read
 */
export function planCredentials(
  sources: SettingSources,
  { client, skipVariables }: Pick<ClientSettings, 'client' | 'skipVariables'>,
  world: Pick<World, 'env' | 'readFile'>,
): CredentialPlan {
  const found = skipVariables ? undefined : variableCredentials(client, world);
  if (found) return { kind: 'variables', ...found };
  const command = resolveSetting(SETTINGS.credentialCommand, sources, client.profile);
  if (command) return { kind: 'command', name: command.source.name, command };
  return { kind: 'keychain', name: `keychain item gwtoken, ${clientName(client)}` };
}
