/** Takes a client's credentials from where the plan says that they are (contract section 3). */

import { type Client, clientFlags, clientName } from '../client';
import { GwtokenError } from '../errors';
import { parseAuthUrl } from '../settings/auth-url';
import { configAuthUrl, resolveProfile } from '../settings/resolve';
import type { AuthUrl, Given } from '../settings/setting';
import { shellWord } from '../text';
import type { World } from '../world/world';
import type { Credentials } from './credentials';
import { commandCredentials } from './from-command';
import { variableNames } from './from-variables';
import { limitedKeychain, parseItem, type StoredCredentials } from './keychain-item';
import type { CredentialPlan } from './plan';

/** Whose credentials are looked for, where, and for which address. */
export interface CredentialQuery {
  readonly plan: CredentialPlan;
  readonly given: Given;
  readonly client: Client;
  readonly authUrl: AuthUrl;
}

/**
 * Takes the credentials of a client from the source that wins, whole.
 *
 * @throws GwtokenError `no-credentials` when it has none; `keychain` when the keychain or the command fails; `usage`
 * when a stored secret is bound to another address
 */
export async function findCredentials(
  query: CredentialQuery,
  world: Pick<World, 'stderr' | 'env' | 'runCredentialCommand' | 'keychain' | 'trace'>,
): Promise<Credentials> {
  const { plan, given, client } = query;
  if (plan.kind === 'variables') {
    world.trace(`credentials from ${plan.name}`);
    return plan.credentials;
  }
  const isCommand = plan.kind === 'command';
  const found = await (isCommand
    ? withVariableHints(commandCredentials(plan.command, given, client, world), query)
    : keychainCredentials(query, world));
  const { authUrl: ownAuthUrl, ...credentials } = found;
  const bound = boundTo(
    ownAuthUrl,
    isCommand ? 'what the credential command prints' : 'its keychain item',
    query,
  );
  if (bound?.address !== query.authUrl.value) throw boundElsewhere(bound, query);
  world.trace(`credentials from ${plan.name}`);
  return credentials;
}

async function keychainCredentials(
  query: CredentialQuery,
  world: Pick<World, 'keychain'>,
): Promise<StoredCredentials> {
  const { given, client, authUrl } = query;
  const item = await withVariableHints(limitedKeychain(given, world).get(clientName(client)), query);
  if (item !== undefined) return parseItem(item, client);
  throw new GwtokenError('no-credentials', `no credentials found for ${clientName(client)}`, {
    hints: [`run: ${loginCommand(client, authUrl)}`, ...variableHints(given, client), BY_HAND],
  });
}

const BY_HAND = 'an item made by hand needs its attributes: gwtoken help keychain';

/** The one address that a stored secret may be sent to, with where that is written. */
interface Bound {
  readonly address: string;
  readonly where: string;
}

/** Without an address of its own, a secret is the config file's: never a flag's or a variable's. */
function boundTo(
  own: string | undefined,
  where: string,
  { given, client }: CredentialQuery,
): Bound | undefined {
  if (own !== undefined) return { address: parseAuthUrl(own, where, client.region), where };
  const config = configAuthUrl(given, client);
  return config && { address: config.value, where: config.source.name };
}

function loginCommand(client: Client, { source, template }: AuthUrl): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  return source.kind === 'config' ? login : `${login} --auth-url ${shellWord(template)}`;
}

/** Lets what fails name the variables that would do instead. */
async function withVariableHints<T>(work: Promise<T>, { given, client }: CredentialQuery): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof GwtokenError ? error.withHints(variableHints(given, client)) : error;
  }
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
function boundElsewhere(bound: Bound | undefined, { plan, client, authUrl }: CredentialQuery): GwtokenError {
  const { source, template } = authUrl;
  const where =
    bound === undefined
      ? 'the address of the config file, which has none'
      : `${bound.address} (from ${bound.where})`;
  const set = `gwtoken config set auth-url.${client.region} ${shellWord(template)}`;
  const hints =
    plan.kind === 'command'
      ? [`to send it there, let the command print "auth_url" too, or run: ${set}`]
      : [`to bind it anew, run: ${loginCommand(client, authUrl)}`];
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
