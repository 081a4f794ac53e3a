/**
 * Next steps after a failure to get a client's token. Where the error is thrown, only its facts are known;
 * here the settings are known too, and so the command, flag or variable that helps.
 */

import { type Client, clientFlags, clientName, REGIONS } from '../client';
import { are, credentialVariableNames } from '../credentials/variables';
import { GwtokenError } from '../errors';
import type { Setting, SettingSources } from '../settings/table';
import { shellWord } from '../text';
import type { Query } from '../token/query';
import { CHECK_AUTH_URL } from '../token/reply';
import { FORKS_GET_NO_SECRETS, isCi } from '../waiting';

/** Returns the error with the next steps after its own hints, or with the source of a wrong value. */
export function withNextSteps(error: GwtokenError, query: Query, sources: SettingSources): GwtokenError {
  if (error.reason === 'ca-file')
    return new GwtokenError('usage', `${error.message} (from ${query.caFile?.source.name})`, error);
  return error.withHints(nextSteps(error, query, sources));
}

function nextSteps(error: GwtokenError, query: Query, sources: SettingSources): readonly string[] {
  const { kind, reason } = error;
  const { client, authUrl, source } = query;
  const url = authUrl.value;
  if (reason === 'bound-elsewhere' && source.kind === 'keychain')
    return [`to use ${url}, run: ${loginCommand(client, authUrl)}`];
  if (reason === 'bound-elsewhere') return [`to use ${url}, let the command print it as "auth_url"`];
  if (kind === 'refused') return refusalSteps(error, query);
  if ((kind !== 'no-credentials' && kind !== 'keychain') || reason === 'malformed') return [];
  const variables = variablesHint(client, sources);
  const isNotFound = kind === 'no-credentials' || reason === 'not-returned';
  const login = source.kind === 'keychain' && isNotFound && !isCi(sources.env);
  return [...(login ? [`to store credentials, run: ${loginCommand(client, authUrl)}`] : []), ...variables];
}

function loginCommand(client: Client, { source, text }: Setting<string>): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  return source.kind === 'config' ? login : `${login} --auth-url ${shellWord(text)}`;
}

/**
 * Returns the checks after a refusal: `invalid_client` may also mean another region, and a 401 without any
 * error another server.
 *
 * @param query has no source at a login, when the person has just typed the credentials
 */
export function refusalSteps(
  { reason }: GwtokenError,
  { client, source }: Pick<Query, 'client'> & Partial<Pick<Query, 'source'>>,
): readonly string[] {
  const from = source?.kind === 'keychain' ? `stored for ${clientName(client)}` : `(from ${source?.name})`;
  const check = `check the client ID and secret${source ? ` ${from}` : ''}`;
  if (reason === 'unauthorized') return [CHECK_AUTH_URL, check];
  if (reason !== 'invalid_client') return [source ? `credentials used: ${source.name}` : check];
  const elsewhere = REGIONS.filter((region) => region !== client.region).map(
    (region) => `if the client belongs to region ${region}, use ${clientFlags({ ...client, region })}`,
  );
  return [check, ...elsewhere];
}

/** Returns how variables would help: set, no longer empty, or no longer ignored. */
function variablesHint(client: Client, { env, flags }: SettingSources): readonly string[] {
  const names = credentialVariableNames(client);
  if (flags['profile'] !== undefined) {
    const ignored = names.find((name) => env[name]);
    if (ignored === undefined) return [];
    const instead = `set GWTOKEN_PROFILE=${client.profile} instead`;
    return [`${ignored} is ignored because of --profile; to use it, ${instead}`];
  }
  const empty = names.filter((name) => env[name] === '');
  if (empty.length > 0) return [`${are(empty)} empty (${FORKS_GET_NO_SECRETS})`];
  const [id, secret] = names;
  return [
    isCi(env)
      ? `set ${id} and ${secret} (gwtoken help ci)`
      : `or set ${id} and ${secret} (gwtoken help keychain)`,
  ];
}
