/** Takes a client's credentials from the planned source. */

import { type Client, clientFlags, clientName } from '../client';
import { failure, GwtokenError, usage } from '../errors';
import { configAuthUrl, resolveProfile, resolveSetting } from '../settings/resolve';
import { type AuthUrl, type Given, SETTINGS } from '../settings/table';
import { parseAuthUrl } from '../settings/values';
import { setAuthUrlCommand } from '../settings/words';
import { shellWord } from '../text';
import type { KeychainReason, World } from '../world';
import { commandCredentials } from './command';
import type { Credentials } from './credentials';
import { parseItem, type StoredCredentials } from './keychain-item';
import type { CredentialQuery } from './plan';
import { variableNames } from './variables';

/**
 * Takes the credentials of a client from the planned source, ID and secret together.
 *
 * @throws GwtokenError `no-credentials` when it has none; `keychain` when the keychain or the command fails; `usage`
 * when stored credentials belong to another auth URL
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
    ? withHints(commandCredentials(plan.command, query, world), () => variableHints(given, client))
    : withHints(keychainCredentials(query, world), (error) => sourceHints(error, query)));
  const { authUrl: ownAuthUrl, ...credentials } = found;
  const bound = boundTo(
    ownAuthUrl,
    isCommand ? 'the output of the credential command' : 'its keychain item',
    query,
  );
  if (bound?.authUrl !== query.authUrl.value) throw boundElsewhere(bound, query);
  world.trace(`credentials from ${plan.name}`);
  return credentials;
}

async function keychainCredentials(
  { given, client, signal }: CredentialQuery,
  world: Pick<World, 'keychain' | 'trace'>,
): Promise<StoredCredentials> {
  const limitMs = resolveSetting(SETTINGS.keychainTimeoutMs, given, undefined)?.value;
  const item = await world.keychain.get(clientName(client), limitMs, signal);
  if (item !== undefined) return parseItem(item, client);
  world.trace('created the keychain item yourself? see: gwtoken help keychain');
  throw failure('no-credentials', `no credentials found for ${clientName(client)}`);
}

/** The one auth URL that a stored secret may be sent to, with where that is written. */
interface Bound {
  readonly authUrl: string;
  readonly where: string;
  /** Whether the secret came with it, or else the config file has it. */
  readonly isOwn: boolean;
}

/** Without an auth URL of its own, a secret belongs to the config file's: never to a flag's or a variable's. */
function boundTo(
  own: string | undefined,
  where: string,
  { given, client }: CredentialQuery,
): Bound | undefined {
  if (own !== undefined) return { authUrl: parseAuthUrl(own, where, client.region), where, isOwn: true };
  const config = configAuthUrl(given, client);
  return config && { authUrl: config.value, where: config.source.name, isOwn: false };
}

function loginCommand(client: Client, { source, template }: AuthUrl): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  return source.kind === 'config' ? login : `${login} --auth-url ${shellWord(template)}`;
}

/** What to do where the source has nothing, or does not answer: `login`, or variables instead. */
export function sourceHints({ kind, reason }: GwtokenError, query: CredentialQuery): readonly string[] {
  const { plan, given, client, authUrl } = query;
  if ((kind !== 'no-credentials' && kind !== 'keychain') || reason === 'malformed') return [];
  const variables = variableHints(given, client);
  const isNotFound = kind === 'no-credentials' || reason === ('hidden' satisfies KeychainReason);
  return plan.kind === 'keychain' && isNotFound
    ? [`to store credentials, run: ${loginCommand(client, authUrl)}`, ...variables]
    : variables;
}

/** Adds hints to what the work is rejected with. */
async function withHints<T>(work: Promise<T>, hints: (error: GwtokenError) => readonly string[]): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof GwtokenError ? error.withHints(hints(error)) : error;
  }
}

/** Names the variables that could be used instead, and those that are empty, as CI secrets are in a fork. */
function variableHints(given: Given, client: Client): readonly string[] {
  const { env } = given;
  const profileSource = resolveProfile(given).source;
  const names = variableNames(client);
  if (profileSource.kind === 'flag') {
    const set = names.find((name) => env[name]);
    return set === undefined
      ? []
      : [
          `${set} is ignored because of ${profileSource.name}; to use it, set GWTOKEN_PROFILE=${client.profile} instead`,
        ];
  }
  const empty = names.filter((name) => env[name] === '');
  const [id, secret] = names;
  const hints = [`or set ${id} and ${secret}`];
  if (empty.length > 0)
    hints.push(
      `${empty.join(' and ')} ${empty.length > 1 ? 'are' : 'is'} empty (CI systems withhold secrets from forks)`,
    );
  return hints;
}

/** A stray auth URL must not carry a stored secret away, so nothing is sent. */
function boundElsewhere(bound: Bound | undefined, { plan, client, authUrl }: CredentialQuery): GwtokenError {
  const { source, template } = authUrl;
  const where =
    bound === undefined
      ? 'the auth URL in the config file, which is not set'
      : `${bound.authUrl} (from ${bound.where})`;
  const set = setAuthUrlCommand(client, template);
  const hints =
    plan.kind === 'command'
      ? [
          bound?.isOwn
            ? 'to use this auth URL, let the command print it as "auth_url"'
            : `to use this auth URL, let the command print "auth_url" too, or run: ${set}`,
        ]
      : [`to log in at this auth URL, run: ${loginCommand(client, authUrl)}`];
  // An item without an auth URL of its own goes by the config file's.
  if (bound === undefined && plan.kind !== 'command')
    hints.push(`or, if they are meant for this auth URL, run: ${set}`);
  if (bound !== undefined && source.kind === 'variable')
    hints.unshift(`to use ${bound.authUrl}, unset ${source.name}`);
  if (bound !== undefined && source.kind === 'flag')
    hints.unshift(`to use ${bound.authUrl}, omit ${source.name}`);
  return usage(
    `the credentials for ${clientName(client)} belong to ${where}, but the auth URL is ${authUrl.value} (from ${source.name}); nothing was sent`,
    ...hints,
  );
}
