/** The source of a client's credentials: their order is written only here. */

import { type Client, clientName } from '../client';
import type { GwtokenError } from '../errors';
import type { AuthUrl, FetchSettings, Setting } from '../settings/table';
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
  readonly client: Client;
  readonly plan: CredentialPlan;
  /** Whether credentials in variables do not count, since a flag names the profile (as `aws --profile` does). */
  readonly skipVariables: boolean;
  readonly authUrl: AuthUrl;
  /** The config file's own, to which the credentials of a command belong that names none; an invalid one is its error. */
  readonly configAuthUrl: AuthUrl | GwtokenError | undefined;
  readonly settings: Pick<FetchSettings, 'keychainTimeoutMs'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plans where the credentials of a client come from, without running the command or opening the keychain.
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
