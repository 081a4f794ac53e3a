import { type Client, clientFlags, clientName } from '../client';
import { failure, GwtokenError, usage } from '../errors';
import { isCi } from '../patience';
import { configAuthUrl, resolveProfile, resolveSetting } from '../settings/resolve';
import { type AuthUrl, SETTINGS, type SettingSources } from '../settings/table';
import { parseAuthUrl } from '../settings/values';
import { setAuthUrlCommand } from '../settings/words';
import { shellWord } from '../text';
import type { World } from '../world';
import { commandCredentials } from './command';
import type { Credentials } from './credentials';
import { parseItem, type StoredCredentials } from './keychain-item';
import type { CredentialQuery } from './plan';
import { credentialVariableNames, strayHints } from './variables';

/**
 * Takes the credentials of a client from the planned source, ID and secret together.
 *
 * @throws GwtokenError `no-credentials` if it has none; `keychain` if the keychain or the command fails; `usage`
 * if stored credentials belong to another auth URL
 */
export async function findCredentials(
  query: CredentialQuery,
  world: Pick<World, 'stderr' | 'env' | 'runCredentialCommand' | 'keychain' | 'trace'>,
): Promise<Credentials> {
  const { plan, sources, client } = query;
  if (plan.kind === 'variables') {
    world.trace(`credentials from ${plan.name}`);
    return plan.credentials;
  }
  const { authUrl: own, ...credentials } = await (plan.kind === 'command'
    ? commandCredentials(plan.command, query, world)
    : keychainCredentials(query, world)
  ).catch((error: unknown) => {
    if (!(error instanceof GwtokenError)) throw error;
    const job = plan.kind === 'keychain' ? missingInJob(error, sources, client) : undefined;
    if (job) throw job;
    throw error.withHints(
      plan.kind === 'command' ? variableHints(sources, client) : sourceHints(error, query),
    );
  });
  const bound = boundTo(own, query);
  if (bound?.authUrl !== query.authUrl.value) throw boundElsewhere(bound, query);
  world.trace(`credentials from ${plan.name}`);
  return credentials;
}

async function keychainCredentials(
  { sources, client, signal }: CredentialQuery,
  world: Pick<World, 'keychain' | 'trace'>,
): Promise<StoredCredentials> {
  const limitMs = resolveSetting(SETTINGS.keychainTimeoutMs, sources)?.value;
  const item = await world.keychain.get(clientName(client), limitMs, signal);
  if (item !== undefined) return parseItem(item, client);
  world.trace('created the keychain item yourself? see: gwtoken help keychain');
  throw failure('no-credentials', `no credentials found for ${clientName(client)}`);
}

/** The one auth URL that a stored secret may be sent to. */
interface Bound {
  readonly authUrl: string;
  readonly where: string;
  /** Whether the secret came with it, or else the config file has it. */
  readonly isOwn: boolean;
}

/** A keychain item has to say itself what it is for: the config file could be a stranger's, by GWTOKEN_CONFIG_DIR. */
function boundTo(
  own: string | undefined,
  { plan, sources, client, authUrl }: CredentialQuery,
): Bound | undefined {
  const isCommand = plan.kind === 'command';
  if (own !== undefined) {
    const where = isCommand ? 'the output of the credential command' : 'its keychain item';
    return { authUrl: parseAuthUrl(own, where, client.region), where, isOwn: true };
  }
  if (!isCommand) {
    throw usage(
      `the keychain item gwtoken, ${clientName(client)} has no auth_url; nothing was sent`,
      `if it is for ${authUrl.value} (from ${authUrl.source.name}), add to its JSON: "auth_url":"${authUrl.value}"`,
      `or replace it, run: ${loginCommand(client, authUrl)}`,
    );
  }
  const config = configAuthUrl(sources, client);
  return config && { authUrl: config.value, where: config.source.name, isOwn: false };
}

function loginCommand(client: Client, { source, template }: AuthUrl): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  return source.kind === 'config' ? login : `${login} --auth-url ${shellWord(template)}`;
}

/** Says what to do if the source has nothing or does not answer. */
export function sourceHints({ kind, reason }: GwtokenError, query: CredentialQuery): readonly string[] {
  const { plan, sources, client, authUrl } = query;
  if ((kind !== 'no-credentials' && kind !== 'keychain') || reason === 'malformed') return [];
  const variables = variableHints(sources, client);
  const isNotFound = kind === 'no-credentials' || reason === 'hidden';
  return plan.kind === 'keychain' && isNotFound
    ? [`to store credentials, run: ${loginCommand(client, authUrl)}`, ...variables]
    : variables;
}

/** Reasons of a keychain that nobody can ask; a job has its credentials in variables then, or should have. */
const NOBODY_TO_ASK: readonly unknown[] = ['module-missing', 'library-missing', 'no-session', 'no-provider'];

/** In a CI job, empty or missing variables are the error, and not the keychain: forks get no secrets. */
function missingInJob(
  error: GwtokenError,
  sources: SettingSources,
  client: Client,
): GwtokenError | undefined {
  const { env } = sources;
  const isNowhere = error.kind === 'no-credentials' || NOBODY_TO_ASK.includes(error.reason);
  if (!isCi(env) || !isNowhere || resolveProfile(sources).source.kind === 'flag') return undefined;
  const names = credentialVariableNames(client);
  const empty = names.filter((name) => env[name] === '');
  const [id, secret] = names.slice(-3);
  const missing = empty.length > 0 ? `${are(empty)} empty` : `${id} and ${secret} are not set`;
  return failure(
    'no-credentials',
    `no credentials for ${clientName(client)}: ${missing}`,
    ...(empty.length > 0 ? ['CI systems withhold secrets from forks'] : []),
    ...strayHints(client, env),
    'for CI examples, run: gwtoken help ci',
  );
}

/** Names the variables that could be used instead, and those that are empty or not read. */
function variableHints(sources: SettingSources, client: Client): readonly string[] {
  const { env } = sources;
  const profileSource = resolveProfile(sources).source;
  const names = credentialVariableNames(client);
  if (profileSource.kind === 'flag') {
    const instead = `to use it, set GWTOKEN_PROFILE=${client.profile} instead`;
    const set = names.filter((name) => env[name]).slice(0, 1);
    return set.map((name) => `${name} is ignored because of ${profileSource.name}; ${instead}`);
  }
  const empty = names.filter((name) => env[name] === '');
  const [id, secret] = names;
  return [
    `to use environment variables instead, set ${id} and ${secret}`,
    ...(empty.length > 0 ? [`${are(empty)} empty (CI systems withhold secrets from forks)`] : []),
    ...strayHints(client, env),
  ];
}

function are(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'}`;
}

/** Refuses to send a stored secret to an auth URL that it is not bound to. */
function boundElsewhere(bound: Bound | undefined, { plan, client, authUrl }: CredentialQuery): GwtokenError {
  const { value, source, template } = authUrl;
  const owner = `${plan.kind === 'keychain' ? 'stored ' : ''}credentials for ${clientName(client)}`;
  const where = bound
    ? `${bound.authUrl} (from ${bound.where})`
    : 'the auth URL in the config file, which is not set';
  const set = (url: string): string => setAuthUrlCommand(client, url);
  const hints: string[] = [];
  if (bound && source.kind === 'variable') hints.push(`to use ${bound.authUrl}, unset ${source.name}`);
  if (bound && source.kind === 'flag') hints.push(`to use ${bound.authUrl}, omit ${source.name}`);
  if (bound?.isOwn && source.kind === 'config')
    hints.push(`to use ${bound.authUrl}, run: ${set(bound.authUrl)}`);
  if (plan.kind === 'keychain')
    hints.push(`to log in at this auth URL, run: ${loginCommand(client, authUrl)}`);
  else if (bound?.isOwn) hints.push('to use this auth URL, let the command print it as "auth_url"');
  else hints.push(`to use this auth URL, let the command print "auth_url" too, or run: ${set(template)}`);
  return usage(
    `the ${owner} are for ${where}, but the auth URL is ${value} (from ${source.name}); nothing was sent`,
    ...hints,
  );
}
