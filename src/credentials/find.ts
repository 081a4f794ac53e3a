/** Finds a client's credentials in the planned source, and returns them for their own auth URL only. */

import { clientName } from '../client';
import { failure, GwtokenError } from '../errors';
import { isCi } from '../patience';
import type { World } from '../world';
import { checkBinding } from './binding';
import { commandCredentials } from './command';
import type { Credentials } from './credentials';
import { parseItem, type StoredCredentials } from './keychain-item';
import type { CredentialQuery } from './plan';
import { are, credentialVariableNames } from './variables';

export type CredentialWorld = Pick<World, 'stderr' | 'env' | 'runCredentialCommand' | 'keychain' | 'trace'>;

/**
 * Returns a client's ID and secret, both from the planned source.
 *
 * @throws GwtokenError `no-credentials` if it has none; `keychain` if the keychain or the command fails;
 *   `usage` if stored credentials belong to another auth URL
 */
export async function findCredentials(query: CredentialQuery, world: CredentialWorld): Promise<Credentials> {
  const { plan } = query;
  if (plan.kind === 'variables') {
    world.trace(`credentials from ${plan.name}`);
    return plan.credentials;
  }
  const { authUrl, ...credentials } =
    plan.kind === 'command'
      ? await commandCredentials(plan.command, query, world)
      : await keychainCredentials(query, world);
  checkBinding(authUrl, query);
  world.trace(`credentials from ${plan.name}`);
  return credentials;
}

async function keychainCredentials(
  query: CredentialQuery,
  world: Pick<World, 'keychain' | 'env' | 'trace'>,
): Promise<StoredCredentials> {
  const { client, settings, signal } = query;
  let item: string | undefined;
  try {
    item = await world.keychain.get(clientName(client), settings.keychainTimeoutMs?.value, signal);
  } catch (error) {
    const isNoKeychain = error instanceof GwtokenError && NO_KEYCHAIN.includes(error.reason);
    throw (isNoKeychain ? missingInJob(query, world) : undefined) ?? error;
  }
  if (item !== undefined) return parseItem(item, client);
  world.trace('created the keychain item yourself? see: gwtoken help keychain');
  throw (
    missingInJob(query, world) ?? failure('no-credentials', `no credentials found for ${clientName(client)}`)
  );
}

/** Reasons of a keychain that cannot be used at all: a job should have its credentials in variables then. */
const NO_KEYCHAIN: readonly unknown[] = [
  'module-missing',
  'not-built-in',
  'library-missing',
  'no-session',
  'no-provider',
];

/** Returns the error of a CI job with empty or missing variables; undefined outside of CI. */
function missingInJob(
  { client, skipVariables }: CredentialQuery,
  { env }: Pick<World, 'env'>,
): GwtokenError | undefined {
  if (!isCi(env) || skipVariables) return undefined;
  const names = credentialVariableNames(client);
  const empty = names.filter((name) => env[name] === '');
  const [id, secret] = names.slice(-3);
  const missing = empty.length > 0 ? `${are(empty)} empty` : `${id} and ${secret} are not set`;
  return new GwtokenError('no-credentials', `no credentials for ${clientName(client)}: ${missing}`, {
    reason: 'missing-in-job',
  });
}
