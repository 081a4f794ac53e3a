/** Plan of a client's credentials: the precedence of their sources is written only here. */

import { type Client, clientName } from '../client';
import type { AuthUrl, FetchSettings, Setting } from '../settings/table';
import type { World } from '../world';
import type { Credentials } from './credentials';
import { variableCredentials } from './variables';

/** The source that takes precedence, and its name in messages. */
export type CredentialPlan =
  | { readonly kind: 'variables'; readonly name: string; readonly credentials: Credentials }
  | { readonly kind: 'command'; readonly name: string; readonly command: Setting<string> }
  | { readonly kind: 'keychain'; readonly name: string };

/** Client whose credentials are needed, their source, and the auth URL that they are for. */
export interface CredentialQuery {
  readonly client: Client;
  readonly plan: CredentialPlan;
  /** True if a flag names the profile: credentials in variables do not count then (as in `aws`). */
  readonly skipVariables: boolean;
  readonly authUrl: AuthUrl;
  readonly settings: Pick<FetchSettings, 'keychainTimeoutMs'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the source of a client's credentials, without running the command or opening the keychain.
 *
 * @param command the setting credential-command
 * @throws GwtokenError `usage` for half a pair of variables, or a secret's file that cannot be read
 */
export function planCredentials(
  { client, skipVariables }: Pick<CredentialQuery, 'client' | 'skipVariables'>,
  command: Setting<string> | undefined,
  world: Pick<World, 'env' | 'readFile'>,
): CredentialPlan {
  const found = skipVariables ? undefined : variableCredentials(client, world);
  if (found) return { kind: 'variables', ...found };
  if (command) return { kind: 'command', name: command.source.name, command };
  return { kind: 'keychain', name: `keychain item gwtoken, ${clientName(client)}` };
}

/** Returns a sentence on a source that takes precedence over stored credentials; undefined for the keychain. */
export function overriding({ kind, name }: CredentialPlan): string | undefined {
  if (kind === 'keychain') return undefined;
  return `${name} ${kind === 'variables' ? 'override' : 'overrides'} the stored credentials`;
}
