/** The next steps that depend on the settings, or on the source of the credentials: a row for each reason. */
import { loginCommand, profileFlag, REGIONS } from '../client';
import type { GwtokenError, Hints, ReasonWithRow } from '../errors';
import { isForThisRun, type Settings } from '../settings/table';
import { prefersVariables } from '../surroundings';
import { listOf, shellWord } from '../text';
import { storedClients, useVariables } from './steps';

export type Row = (settings: Settings, error: GwtokenError) => Hints;

const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';

export const ROWS: Readonly<Record<ReasonWithRow, Row>> = {
  'no-client': (settings) => [
    ...settings.config.noHome,
    ...loginOrVariables('to add one, run: gwtoken login', settings),
  ],
  'no-region': (settings) => {
    const stored = storedClients(settings);
    const or = stored.length > 0 ? 'or ' : '';
    const set = `${or}use ${listOf(REGIONS.map((region) => `--region ${region}`))}, or export GWTOKEN_REGION`;
    const help = prefersVariables(settings) ? [CI_HELP] : [];
    return [...settings.config.noHome, ...stored, set, ...help];
  },
  'no-auth-url': (settings) => {
    const { client, flags } = settings;
    const config = `gwtoken config set auth-url.${client.region} URL${profileFlag(client.profile)}`;
    const set = `export GWTOKEN_AUTH_URL, or run: ${config}`;
    const login = `to set up this client, run: ${loginCommand(client, flags)}`;
    const steps = prefersVariables(settings) ? [set, CI_HELP] : [login, `or ${set}`];
    return [...settings.config.noHome, ...steps];
  },
  'no-credentials': (settings, { source }) =>
    source?.kind === 'keychain'
      ? [...settings.config.noHome, ...storedClients(settings), ...missingLogin(settings)]
      : [...settings.config.noHome, ...useVariables(settings)],
  'not-returned': (settings) => [...settings.config.noHome, ...missingLogin(settings)],
  rejected: (settings, { client = settings.client, source }) => {
    // login has verified the credentials in their region, so the secret was replaced or revoked since.
    if (source?.kind === 'keychain')
      return [`to store a new secret, run: ${loginCommand(client, settings.flags)}`];
    const others = listOf(REGIONS.filter((region) => region !== client.region));
    const otherRegion = `if the client is in region ${others}, use --region ${others}; check the auth URL too`;
    // A person has just typed them.
    if (source?.kind === 'prompt') return [otherRegion];
    return [`check ${placeOf(source)}`, otherRegion];
  },
};

function missingLogin(settings: Settings): Hints {
  const { client, flags, authUrl } = settings;
  // login suggests the URL of the config file or the stored client itself.
  const url = authUrl && isForThisRun(authUrl) ? ` --auth-url ${shellWord(authUrl.text)}` : '';
  return loginOrVariables(`run: ${loginCommand(client, flags)}${url}`, settings);
}

/** Returns the steps to log in or to set variables; where nobody logs in, only variables. */
function loginOrVariables(login: string, settings: Settings): Hints {
  return prefersVariables(settings) ? useVariables(settings) : [login, ...useVariables(settings, 'or ')];
}

/** Returns the ID and the secret in words, with their place. */
function placeOf(source: GwtokenError['source']): string {
  if (source?.kind === 'variables') return source.name;
  if (source?.kind === 'command') return `the client ID and secret (from ${source.name})`;
  return 'the client ID and secret';
}
