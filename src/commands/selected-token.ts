/** The selected client's token, for every command that needs one, or an error with its next steps. */

import { type Client, clientFlags, REGIONS } from '../client';
import { FORKS_GET_NO_SECRETS, variablePairs } from '../credentials/variables';
import { GwtokenError, usage } from '../errors';
import { maskToken } from '../formats/mask';
import { clientParts, gather, likelyCauses, resolveClient, settingLines } from '../settings/resolve';
import type { FlagValues, Setting, SettingSources } from '../settings/table';
import { listOf, shellWord, warn } from '../text';
import { getToken } from '../token/get-token';
import { type Query, queryOf, type TokenAnswer } from '../token/query';
import { CHECK_AUTH_URL } from '../token/reply';
import { untilSignal } from '../waiting';
import type { World } from '../world';
import { strayText, strayVariables } from './stray-variables';

/** Returns the selected client. Throws `usage` without a region; before the first login it hints at that. */
export function selectedClient(sources: SettingSources, world: Pick<World, 'clients'>): Client {
  if (sources.isHeadless()) return resolveClient(sources);
  return clientOrThrow(
    usage('no client stored yet', { reason: 'no-client' }, ...likelyCauses(sources), 'run: gwtoken login'),
    sources,
    world,
  );
}

/** Returns the selected client. Throws `noClient` if neither a region is set nor a client is stored. */
export function clientOrThrow(
  noClient: GwtokenError,
  sources: SettingSources,
  { clients }: Pick<World, 'clients'>,
): Client {
  if (clientParts(sources).region === undefined && Object.keys(clients.read()).length === 0) throw noClient;
  return resolveClient(sources);
}

/** Gathers the sources of settings, and warns of keys and variables that mean nothing. */
export function readSettings(flags: FlagValues, world: World): SettingSources {
  const sources = gather(flags, world);
  for (const text of sources.unknownKeys) warn(world, text);
  for (const stray of strayVariables(world)) {
    if (stray.isMisleading) warn(world, strayText(stray));
    else world.trace(strayText(stray));
  }
  return sources;
}

/** Returns the query of the selected client. Throws a `usage` error for a missing or wrong setting. */
export function selectedQuery(sources: SettingSources, world: World): Query {
  const client = selectedClient(sources, world);
  for (const line of settingLines(sources, client)) world.trace(line);
  return queryOf(sources, client, world);
}

/**
 * Returns a valid token for the selected client, or with `--fresh` a new one, and masks it in the log of a
 * GitHub Actions job: every caller passes it on.
 */
export async function selectedToken(sources: SettingSources, world: World): Promise<TokenAnswer> {
  const answer = await tokenFor(selectedQuery(sources, world), sources, world);
  maskToken(answer.token.accessToken, world);
  return answer;
}

/** Returns a token for the query. Adds the next steps to the hints of an error. */
export async function tokenFor(query: Query, sources: SettingSources, world: World): Promise<TokenAnswer> {
  try {
    return await getTokenInTerminal(query, world);
  } catch (error) {
    throw error instanceof GwtokenError ? error.withHints(nextSteps(error, query, sources)) : error;
  }
}

/** Gets a token under a spinner, until a signal. A credential command gets no spinner: it may prompt. */
async function getTokenInTerminal(query: Query, world: World): Promise<TokenAnswer> {
  if (query.source.kind === 'command')
    return untilSignal(world.onSignals, (signal) => getToken({ ...query, signal }, world));
  const label = 'requesting a token';
  return world.terminal.spin(label, (relabel, signal) => {
    const onRetry = (attempt: number): void => relabel(`${label} (attempt ${attempt} of ${query.attempts})`);
    return getToken({ ...query, onRetry, signal }, world);
  });
}

function nextSteps(error: GwtokenError, query: Query, sources: SettingSources): readonly string[] {
  const { kind, reason } = error;
  if (kind === 'refused' || kind === 'bad-reply') return replySteps(error, query);
  if (kind !== 'no-credentials' && kind !== 'keychain') return [];
  const { client, authUrl, source } = query;
  const isMissing = kind === 'no-credentials' || reason === 'not-returned';
  const hints =
    source.kind === 'keychain' && isMissing
      ? credentialsHints(client, loginCommand(client, authUrl), sources)
      : variablesHint(client, sources);
  return [...likelyCauses(sources), ...hints];
}

/** Returns the hints for a client without credentials. */
export function credentialsHints(client: Client, login: string, sources: SettingSources): readonly string[] {
  if (sources.isHeadless()) return variablesHint(client, sources);
  return [`to store credentials, run: ${login}`, ...variablesHint(client, sources, 'or set')];
}

function loginCommand(client: Client, authUrl: Setting<string> | undefined): string {
  const login = `gwtoken login ${clientFlags(client)}`;
  // login suggests the URL of the config file or the stored client itself.
  const isKept =
    authUrl === undefined || authUrl.source.kind === 'config' || authUrl.source.kind === 'stored';
  return isKept ? login : `${login} --auth-url ${shellWord(authUrl.text)}`;
}

/**
 * Returns the checks after a refusal, or after a reply that may be one.
 *
 * @param query has no source during a login, which sends credentials that were just typed
 */
export function replySteps(
  { kind, reason }: GwtokenError,
  { client, source }: Pick<Query, 'client'> & Partial<Pick<Query, 'source'>>,
): readonly string[] {
  const credentials = `the client ID and secret${source?.origin ?? ''}`;
  const check = `check ${credentials}`;
  switch (reason) {
    case 'forbidden':
      return [
        `check the auth URL, and ${credentials}`,
        'or ask the administrator of your firewall or proxy: it may be blocking this',
      ];
    case 'unknown-error':
      return [check, CHECK_AUTH_URL];
    case 'no-oauth-error':
      return [CHECK_AUTH_URL, check];
    case 'unauthorized_client':
    case 'unsupported_grant_type':
      return ['check on the Clients page that the client exists and may use client_credentials'];
    case 'invalid_scope':
      return ["ask the endpoint's operator to give this client a default scope"];
    case 'invalid_request':
      return ["ask the endpoint's operator what a token request needs beside ID and secret"];
  }
  if (kind !== 'refused') return [];
  // `invalid_client` may also mean another region.
  const others = listOf(REGIONS.filter((region) => region !== client.region));
  return [check, `if the client belongs to region ${others}, use --region ${others}`];
}

/** The variables that hold for every client. */
const PLAIN_PAIR = 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET';

/** Returns the hint about variables: to set them, or that they are empty or ignored. */
function variablesHint(
  client: Client,
  { env, flags, isHeadless }: SettingSources,
  set = 'set',
): readonly string[] {
  const names = variablePairs(client).flat();
  if (flags.profile !== undefined) {
    const ignored = names.find((name) => env[name]);
    if (ignored === undefined && !isHeadless()) return [];
    if (ignored === undefined)
      return [`replace --profile by GWTOKEN_PROFILE=${client.profile}, and set ${PLAIN_PAIR}`];
    const instead = `set GWTOKEN_PROFILE=${client.profile} instead`;
    return [`${ignored} is ignored because of --profile; to use it, ${instead}`];
  }
  const empty = names.filter((name) => env[name] === '');
  if (empty.length > 0) return [`empty: ${empty.join(', ')} (${FORKS_GET_NO_SECRETS})`];
  return [`${set} ${PLAIN_PAIR} (gwtoken help ${isHeadless() ? 'ci' : 'keychain'})`];
}
