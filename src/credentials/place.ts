import { type Client, clientName } from '../client';
import { resolveSetting } from '../settings/resolve';
import type { Given, Source } from '../settings/setting';
import { SETTINGS } from '../settings/table';
import type { World } from '../world/world';
import { variablePairInUse } from './from-variables';

/** Where a client's credentials would be taken from. */
export interface CredentialPlace {
  readonly kind: 'variables' | 'command' | 'keychain';
  /** As it is written in messages. */
  readonly name: string;
  /** Where that is known without asking the place. */
  readonly clientId: string | undefined;
}

/**
 * Says where the credentials would come from, without opening the keychain, running the command or reading a secret.
 * The order is that of credentials/find.ts. Throws a `usage` error for half a pair of variables.
 */
export function credentialPlace(
  given: Given,
  client: Client,
  profileSource: Source,
  { env }: Pick<World, 'env'>,
): CredentialPlace {
  const pair = profileSource.kind === 'flag' ? undefined : variablePairInUse(client, env);
  if (pair) return { kind: 'variables', name: `${pair.id} and ${pair.secretIn}`, clientId: pair.clientId };
  const command = resolveSetting(SETTINGS.credentialCommand, given, client.profile);
  if (command) return { kind: 'command', name: command.source.name, clientId: undefined };
  return { kind: 'keychain', name: `keychain item gwtoken, ${clientName(client)}`, clientId: undefined };
}
