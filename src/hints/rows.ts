/** The next steps that depend on the settings, or on the source of the credentials: a row for each reason. */
import { clientFlags, loginCommand, parseClientName, profileFlag, REGIONS } from '../client';
import { type GwtokenError, orUndefined, type ReasonWithRow } from '../errors';
import { isForThisRun, type Settings } from '../settings/table';
import { listOf, shellWord } from '../text';
import { otherCause, useVariables } from './steps';

/** Steps, best first. One that does not apply is undefined. */
export type Steps = readonly (string | undefined)[];

/** An error, or the problem that a warning reports. */
export type Problem = Partial<
  Pick<GwtokenError, 'kind' | 'hints' | 'reason' | 'client' | 'source' | 'lastStep'>
>;

export type Row = (settings: Settings, problem: Problem) => Steps;

const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';
/** Longest list of stored clients that fits in a line of 80 columns. */
const MOST_COLUMNS = 73;

export const ROWS: Readonly<Record<ReasonWithRow, Row>> = {
  'no-client': (settings) => [
    otherCause(settings),
    ...loginOrVariables('to add one, run: gwtoken login', settings),
  ],
  'no-region': (settings) => {
    const stored = storedStep(settings);
    const set = `use ${listOf(REGIONS.map((region) => `--region ${region}`))}, or export GWTOKEN_REGION`;
    const help = settings.prefersVariables() ? CI_HELP : undefined;
    return [otherCause(settings), stored, stored === undefined ? set : `or ${set}`, help];
  },
  'no-auth-url': (settings) => {
    const { client, flags } = settings;
    const config = `gwtoken config set auth-url.${client.region} URL${profileFlag(client.profile)}`;
    const set = `export GWTOKEN_AUTH_URL, or run: ${config}`;
    const login = `to set up this client, run: ${loginCommand(client, flags)}`;
    return [otherCause(settings), ...(settings.prefersVariables() ? [set, CI_HELP] : [login, `or ${set}`])];
  },
  'nothing-stored': (settings) => [storedStep(settings)],
  'no-credentials': (settings, { source }) =>
    source?.kind === 'keychain'
      ? [otherCause(settings), storedStep(settings), ...missingLogin(settings)]
      : [otherCause(settings), ...useVariables(settings)],
  'not-returned': (settings) => [otherCause(settings), ...missingLogin(settings)],
  rejected: (settings, { client = settings.client, source }) => {
    // login has verified the credentials in their region, so the secret was replaced or revoked since.
    if (source?.kind === 'keychain')
      return [`to store a new secret, run: ${loginCommand(client, settings.flags)}`];
    const others = listOf(REGIONS.filter((region) => region !== client.region));
    return [
      // A person has just typed them.
      source?.kind === 'prompt' ? undefined : `check ${placeOf(source)}`,
      `if the client is in region ${others}, use --region ${others}; check the auth URL too`,
    ];
  },
};

/** Returns the names of the stored clients, and how to select the only one; undefined if none is stored. */
function storedStep({ stored, profile, environment }: Settings): string | undefined {
  // An unreadable list is another error.
  const [first, ...others] = Object.keys(orUndefined(stored) ?? {});
  if (first === undefined) return undefined;
  const client = parseClientName(first);
  if (!client || others.length > 0) {
    const list = `stored: ${[first, ...others].join(', ')}`;
    return list.length > MOST_COLUMNS ? 'to list stored clients, run: gwtoken status' : list;
  }
  // A default is left out unless the settings select something else.
  const given = {
    profile: profile.value === client.profile ? undefined : true,
    sandbox: environment.value === client.environment ? undefined : true,
  };
  return `stored: ${first}; use ${clientFlags(client, given)}`;
}

function missingLogin(settings: Settings): Steps {
  const { client, flags, authUrl } = settings;
  // login suggests the URL of the config file or the stored client itself.
  const url = authUrl && isForThisRun(authUrl) ? ` --auth-url ${shellWord(authUrl.text)}` : '';
  return loginOrVariables(`run: ${loginCommand(client, flags)}${url}`, settings);
}

/** Returns the steps to log in or to set variables; where nobody logs in, only variables. */
function loginOrVariables(login: string, settings: Settings): Steps {
  return settings.prefersVariables() ? useVariables(settings) : [login, ...useVariables(settings, 'or ')];
}

/** Returns the ID and the secret in words, with their place. */
function placeOf(source: GwtokenError['source']): string {
  if (source?.kind === 'variables') return source.name;
  if (source?.kind === 'command') return `the client ID and secret (from ${source.name})`;
  return 'the client ID and secret';
}
