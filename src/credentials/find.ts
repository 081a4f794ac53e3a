/** The client's credentials: the first source that has any wins, whole (contract section 3). */

import { type Client, clientFlags, clientName } from '../client';
import { GwtokenError } from '../errors';
import { parseAuthUrl } from '../settings/auth-url';
import { configAuthUrl, type FetchSettings, resolveProfile } from '../settings/resolve';
import type { AuthUrl, Given } from '../settings/setting';
import type { World } from '../world/world';
import type { Credentials } from './credentials';
import { commandCredentials } from './from-command';
import { variableNames } from './from-variables';
import { parseItem } from './keychain-item';
import { limitedKeychain } from './limited-keychain';
import type { CredentialPlan } from './plan';

/** Whose credentials are looked for, where, and for which address. */
export interface CredentialQuery {
  readonly plan: CredentialPlan;
  readonly given: Given;
  readonly client: Client;
  readonly authUrl: AuthUrl;
  readonly settings: Pick<FetchSettings, 'keychainTimeoutMs'>;
}

/**
 * Takes the credentials of a client from the source that wins.
 *
 * @throws GwtokenError `no-credentials` when it has none; `usage` when a stored secret is bound to another address
 */
export async function findCredentials(
  { plan, given, client, authUrl, settings }: CredentialQuery,
  world: Pick<World, 'stderr' | 'env' | 'runCredentialCommand' | 'keychain' | 'trace'>,
): Promise<Credentials> {
  if (plan.kind === 'variables') return plan.credentials;
  if (plan.kind === 'command') {
    return await commandCredentials(plan.command, client, settings, world).catch((error) => {
      throw withVariableHints(error, given, client);
    });
  }
  const account = clientName(client);
  const item = await limitedKeychain(given, world)
    .get(account)
    .catch((error) => {
      throw withVariableHints(error, given, client);
    });
  if (item === undefined) {
    throw noCredentials(client, authUrl).withHints([...variableHints(given, client), BY_HAND]);
  }

  const stored = parseItem(item, account);
  const bound = boundTo(stored.authUrl, given, client);
  if (bound?.address !== authUrl.value) throw boundElsewhere(client, bound, authUrl);
  world.trace(`credentials from the keychain item gwtoken, ${account}`);
  return {
    clientId: stored.clientId,
    clientSecret: stored.clientSecret,
    source: { kind: 'keychain', name: `keychain item gwtoken, ${account}` },
  };
}

/** The one address that a stored secret may be sent to, with where that is written. */
interface Bound {
  readonly address: string;
  readonly where: string;
}

/** An item made by hand may lack an auth_url: it is the config file's then, never a flag's or a variable's. */
function boundTo(stored: string | undefined, given: Given, client: Client): Bound | undefined {
  if (stored === undefined) {
    const config = configAuthUrl(given, client);
    return config && { address: config.value, where: config.source.name };
  }
  const where = 'its keychain item';
  return { address: parseAuthUrl(stored, where, client.region), where };
}

function noCredentials(client: Client, authUrl: AuthUrl): GwtokenError {
  return new GwtokenError('no-credentials', `no credentials found for ${clientName(client)}`, {
    hints: [`run: ${loginCommand(client, authUrl)}`],
  });
}

function loginCommand(client: Client, { source, template }: AuthUrl): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  // Quoted, since in some shells braces are more than themselves.
  return source.kind === 'config'
    ? login
    : `${login} --auth-url ${/[^\w.:/-]/.test(template) ? `'${template}'` : template}`;
}

const BY_HAND = 'an item made by hand needs its attributes: gwtoken help keychain';

function withVariableHints(error: unknown, given: Given, client: Client): unknown {
  return error instanceof GwtokenError ? error.withHints(variableHints(given, client)) : error;
}

/** Names the variables that would do instead, and those that are there but empty, as a fork's CI secrets are. */
function variableHints(given: Given, client: Client): readonly string[] {
  const { env } = given;
  const profileSource = resolveProfile(given).source;
  const names = variableNames(client);
  if (profileSource.kind === 'flag') {
    const set = names.find((name) => env[name]);
    const instead = `GWTOKEN_PROFILE=${client.profile} instead of ${profileSource.name} lets variables be used`;
    return set === undefined
      ? []
      : [`${set} is set, but ${profileSource.name} passes variables over: ${instead}`];
  }
  const empty = names.filter((name) => env[name] === '');
  const [id, secret] = names;
  const hints = [`or set ${id} and ${secret}`];
  if (empty.length > 0)
    hints.push(
      `${empty.join(' and ')} ${empty.length > 1 ? 'are' : 'is'} empty: CI secrets are not given to forks`,
    );
  return hints;
}

/** A stray auth URL must not carry a stored secret away, so nothing is sent (contract section 3). */
function boundElsewhere(client: Client, bound: Bound | undefined, authUrl: AuthUrl): GwtokenError {
  const { source } = authUrl;
  const where =
    bound === undefined
      ? 'the address of the config file, which has none'
      : `${bound.address} (from ${bound.where})`;
  const hints = [`to bind it anew, run: ${loginCommand(client, authUrl)}`];
  if (bound !== undefined && source.kind === 'variable')
    hints.unshift(`unset ${source.name}, to use the stored client where it belongs`);
  if (bound !== undefined && source.kind === 'flag')
    hints.unshift(`leave out ${source.name}, to use the stored client where it belongs`);
  return new GwtokenError(
    'usage',
    `the stored secret of ${clientName(client)} is bound to ${where}, but the auth URL is ${authUrl.value} (from ${source.name})`,
    { hints },
  );
}
