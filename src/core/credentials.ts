/** The client's credentials: the first source that has any wins, whole (contract section 3). */
import { GwtokenError } from '../errors';
import type { World } from '../world';
import { type Client, clientFlags, clientName } from './clients';
import { parseItem } from './keychain-item';
import { limitedKeychain } from './limited-keychain';
import { type AuthUrl, configAuthUrl, type Given, type Source } from './settings';
import { variableCredentials, variablePairs } from './variable-credentials';

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

/**
 * Finds the credentials of a client for an address.
 *
 * @param profileSource where the profile's name came from: named by a flag it skips the variables, as `aws --profile` does
 * @throws GwtokenError `no-credentials` when no source has any; `usage` when a stored secret is bound to another address
 */
export async function findCredentials(
  given: Given,
  client: Client,
  profileSource: Source,
  authUrl: AuthUrl,
  world: Pick<World, 'env' | 'readFile' | 'keychain' | 'trace'>,
): Promise<Credentials> {
  if (profileSource.kind !== 'flag') {
    const found = await variableCredentials(client, world);
    if (found) return found;
  }
  const account = clientName(client);
  const item = await limitedKeychain(given, world)
    .get(account)
    .catch((error) => {
      throw withVariableHints(error, client, world.env);
    });
  if (item === undefined) throw withVariableHints(noCredentials(client, authUrl), client, world.env);

  const stored = parseItem(item, account);
  const bound = stored.authUrl === undefined ? configAuthUrl(given, client)?.value : stored.authUrl;
  if (bound !== authUrl.value) throw boundElsewhere(client, stored.authUrl, authUrl);
  world.trace(`credentials from the keychain item gwtoken, ${account}`);
  return {
    clientId: stored.clientId,
    clientSecret: stored.clientSecret,
    source: { kind: 'keychain', name: `keychain item gwtoken, ${account}` },
  };
}

function noCredentials(client: Client, authUrl: AuthUrl): GwtokenError {
  const login = `gwtoken login ${clientFlags(client)}`;
  return new GwtokenError('no-credentials', `no credentials found for ${clientName(client)}`, {
    hints: [
      `run: ${authUrl.source.kind === 'config' ? login : `${login} --auth-url ${authUrl.template}`}`,
      'an item made by hand needs its attributes: gwtoken help keychain',
    ],
  });
}

/** Names the variables that would do instead, and those that are there but empty, as a fork's CI secrets are. */
function withVariableHints(error: unknown, client: Client, env: World['env']): unknown {
  if (!(error instanceof GwtokenError)) return error;
  const pairs = variablePairs(client);
  const empty = pairs
    .flatMap(({ id, secret, secretFile }) => [id, secret, secretFile])
    .filter((name) => env[name] === '');
  const hints = [`or set ${pairs[0]!.id} and ${pairs[0]!.secret}`];
  if (empty.length > 0) hints.push(`${empty.join(' and ')} set but empty: CI secrets are not given to forks`);
  return error.withHints(hints);
}

/** A stray auth URL must not carry a stored secret away, so nothing is sent (contract section 3). */
function boundElsewhere(client: Client, boundTo: string | undefined, authUrl: AuthUrl): GwtokenError {
  const where =
    boundTo === undefined
      ? "the config file's address alone (it was made by hand)"
      : `${boundTo}, where gwtoken login verified it`;
  return new GwtokenError(
    'usage',
    `the stored secret of ${clientName(client)} is bound to ${where}, but the auth URL is ${authUrl.value} (from ${authUrl.source.name})`,
    {
      hints: [
        ...(authUrl.source.kind === 'config'
          ? []
          : [`leave out ${authUrl.source.name} to use the stored client where it belongs`]),
        `or run: gwtoken login ${clientFlags(client)} --auth-url ${authUrl.template}`,
      ],
    },
  );
}
