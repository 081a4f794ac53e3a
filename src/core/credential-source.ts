/** Which source of credentials wins (contract section 3), as far as that is known without opening the keychain. */
import type { World } from '../world';
import type { Client } from './clients';
import type { FetchSettings } from './fetch-settings';
import type { Setting, Source } from './settings';
import { variableCredentials } from './variable-credentials';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly source: CredentialSource;
}

export interface CredentialSource {
  readonly kind: 'variables' | 'command' | 'keychain' | 'login';
  /** As it is written in messages: the two variables, the setting that has the command, or the item's service and account. */
  readonly name: string;
}

/** Where a run takes its credentials from, as far as that is known without opening the keychain. */
export type Wanted =
  | { readonly kind: 'variables'; readonly credentials: Credentials }
  | { readonly kind: 'command'; readonly command: Setting<string> }
  | { readonly kind: 'keychain' };

/**
 * The source that wins for a client. A profile named by a flag skips the variables, as `aws --profile` does.
 *
 * @throws GwtokenError `usage` for half a pair of variables
 */
export function wantedSource(
  client: Client,
  profileSource: Source,
  { credentialCommand }: Pick<FetchSettings, 'credentialCommand'>,
  world: Pick<World, 'env' | 'readFile' | 'trace'>,
): Wanted {
  const credentials = profileSource.kind === 'flag' ? undefined : variableCredentials(client, world);
  if (credentials) return { kind: 'variables', credentials };
  return credentialCommand ? { kind: 'command', command: credentialCommand } : { kind: 'keychain' };
}
