/** Which source of credentials wins (contract section 3), as far as that is known without opening the keychain. */
import type { World } from '../world';
import type { Client } from './clients';
import type { Source } from './settings';
import { variableCredentials } from './variable-credentials';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly source: CredentialSource;
}

export interface CredentialSource {
  readonly kind: 'variables' | 'keychain' | 'login';
  /** As it is written in messages: the two variables, or the item's service and account. */
  readonly name: string;
}

/** Where a run takes its credentials from, as far as that is known without opening the keychain. */
export type Wanted =
  | { readonly kind: 'variables'; readonly credentials: Credentials }
  | { readonly kind: 'keychain' };

/**
 * The source that wins for a client. A profile named by a flag skips the variables, as `aws --profile` does.
 *
 * @throws GwtokenError `usage` for half a pair of variables
 */
export function wantedSource(
  client: Client,
  profileSource: Source,
  world: Pick<World, 'env' | 'readFile' | 'trace'>,
): Wanted {
  const credentials = profileSource.kind === 'flag' ? undefined : variableCredentials(client, world);
  return credentials ? { kind: 'variables', credentials } : { kind: 'keychain' };
}
