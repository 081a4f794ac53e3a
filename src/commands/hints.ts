/**
 * Next steps after a failure to get a client's token. Where the error is thrown, only its facts are known;
 * here the settings are known too, and so the command, flag or variable that helps.
 */

import { type Client, clientFlags, clientName, REGIONS } from '../client';
import { are, credentialVariableNames, strayHints } from '../credentials/variables';
import { GwtokenError } from '../errors';
import { CI_HELP, FORKS_GET_NO_SECRETS } from '../patience';
import { resolveProfile } from '../settings/resolve';
import type { AuthUrl, SettingSources } from '../settings/table';
import { shellWord } from '../text';
import type { TokenQuery } from '../token/query';
import { CHECK_AUTH_URL } from '../token/reply';

type Query = Pick<TokenQuery, 'client' | 'authUrl' | 'plan' | 'settings'>;

/** Returns the error with the next steps after its own hints, or with the source of a wrong value. */
export function withNextSteps(error: GwtokenError, query: Query, sources: SettingSources): GwtokenError {
  if (error.reason === 'ca-file')
    return new GwtokenError('usage', `${error.message} (from ${query.settings.caFile?.source.name})`, error);
  const steps = nextSteps(error, query, sources);
  const another =
    'another gwtoken process made this request; to make your own and see details, use --no-cache';
  return error.withHints(error.ofAnotherProcess ? [...steps, another] : steps);
}

function nextSteps(error: GwtokenError, query: Query, sources: SettingSources): readonly string[] {
  const { kind, reason } = error;
  const { client, authUrl, plan } = query;
  const url = authUrl.value;
  if (reason === 'bound-elsewhere' && plan.kind === 'keychain')
    return [`to use ${url}, run: ${loginCommand(client, authUrl)}`];
  if (reason === 'bound-elsewhere') return [`to use ${url}, let the command print it as "auth_url"`];
  if (kind === 'refused') return refusalSteps(error, query, sources);
  if (reason === 'missing-in-job') return jobSteps(client, sources);
  if (reason === 'endless-loop') return variableSteps(client, sources);
  if ((kind !== 'no-credentials' && kind !== 'keychain') || reason === 'malformed') return [];
  const isNotFound = kind === 'no-credentials' || reason === 'hidden';
  const variables = variableSteps(client, sources);
  if (plan.kind !== 'keychain' || !isNotFound) return variables;
  return [`to store credentials, run: ${loginCommand(client, authUrl)}`, ...variables];
}

function loginCommand(client: Client, { source, template }: AuthUrl): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  return source.kind === 'config' ? login : `${login} --auth-url ${shellWord(template)}`;
}

/**
 * Returns the checks after a refusal: `invalid_client` may also mean another region, and a 401 without any
 * error another server.
 *
 * @param query has no plan at a login, when the person has just typed the credentials
 */
export function refusalSteps(
  { reason }: GwtokenError,
  { client, plan }: Pick<TokenQuery, 'client'> & Partial<Pick<TokenQuery, 'plan'>>,
  { flagPrefix }: Pick<SettingSources, 'flagPrefix'>,
): readonly string[] {
  const from = plan?.kind === 'keychain' ? `stored for ${clientName(client)}` : `(from ${plan?.name})`;
  const check = `check the client ID and secret${plan ? ` ${from}` : ''}`;
  if (reason === 'unauthorized') return [CHECK_AUTH_URL, check];
  if (reason !== 'invalid_client') return [plan ? `credentials used: ${plan.name}` : check];
  const elsewhere = REGIONS.filter((region) => region !== client.region).map((region) => {
    const flags = flagPrefix ? `${flagPrefix}region ${region}` : clientFlags({ ...client, region });
    return `if the client belongs to region ${region}, use ${flags}`;
  });
  return [check, ...elsewhere];
}

/** Returns steps about variables, which a CI job needs: forks get no secrets. */
function jobSteps(client: Client, { env }: SettingSources): readonly string[] {
  const isAnyEmpty = credentialVariableNames(client).some((name) => env[name] === '');
  return [...(isAnyEmpty ? [FORKS_GET_NO_SECRETS] : []), ...strayHints(client, env), CI_HELP];
}

/** Returns hints about variables: the ones to use instead, and those that are empty or not read. */
function variableSteps(client: Client, sources: SettingSources): readonly string[] {
  const { env } = sources;
  const profileSource = resolveProfile(sources).source;
  const names = credentialVariableNames(client);
  if (profileSource.kind === 'flag') {
    const ignored = names.find((name) => env[name]);
    if (ignored === undefined) return [];
    const instead = `to use it, set GWTOKEN_PROFILE=${client.profile} instead`;
    return [`${ignored} is ignored because of ${profileSource.name}; ${instead}`];
  }
  const empty = names.filter((name) => env[name] === '');
  const [id, secret] = names;
  return [
    `to use environment variables instead, set ${id} and ${secret}`,
    ...(empty.length > 0 ? [`${are(empty)} empty (${FORKS_GET_NO_SECRETS})`] : []),
    ...strayHints(client, env),
  ];
}
