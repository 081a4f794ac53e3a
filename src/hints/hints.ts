/** The next steps after an error: its own, then those that depend on the settings. Two are shown. */
import { loginCommand, REGIONS } from '../client';
import { type GwtokenError, type Hints, type Missing, orUndefined, type Reason } from '../errors';
import { isForThisRun, type Settings, setAuthUrlLine } from '../settings/table';
import { prefersVariables } from '../surroundings';
import { listOf, shellWord } from '../text';
import { storedClients, useVariables } from './steps';

const MOST_HINTS = 2;

/**
 * Returns the hints for an error, best first: each is the next command or variable to type. There are no
 * settings if the config file cannot be read, or if the command line is invalid.
 */
export function hintsFor(error: GwtokenError, settings: Settings | undefined): Hints {
  const { hints, lastStep } = error;
  // The config file may have changed since the command read it.
  const steps = (settings && orUndefined(() => stepsFor(error, settings))) ?? [];
  const best = [...new Set([...hints, ...steps])];
  return lastStep === undefined ? best.slice(0, MOST_HINTS) : [...best.slice(0, MOST_HINTS - 1), lastStep];
}

/** Returns the steps to replace refused credentials, or to get what is missing. */
function stepsFor(error: GwtokenError, settings: Settings): Hints {
  const { kind, reason, source } = error;
  if (reason === 'rejected') return afterRefusal(settings, error);
  // Without a home directory, gwtoken finds neither settings nor a client.
  const { noHome } = settings.config;
  const row = reason && IF_MISSING[reason];
  if (row) return [...noHome, ...row(settings, error)];
  // Variables can replace a keychain or a credential command that fails.
  return kind === 'keychain' && source ? [...noHome, ...useVariables(settings)] : [];
}

function afterRefusal(settings: Settings, { client = settings.client, source }: GwtokenError): Hints {
  // login has verified the credentials in their region, so the secret was replaced or revoked since.
  if (source?.kind === 'keychain')
    return [`to store a new secret, run: ${loginCommand(client, settings.flags)}`];
  const others = listOf(REGIONS.filter((region) => region !== client.region));
  const otherRegion = `if the client is in region ${others}, use --region ${others}; check the auth URL too`;
  // A person has just typed them.
  if (source?.kind === 'prompt') return [otherRegion];
  return [`check ${placeOf(source)}`, otherRegion];
}

type Row = (settings: Settings, error: GwtokenError) => Hints;

const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';

const IF_MISSING: Readonly<Partial<Record<Reason, Row>>> = {
  'no-client': (settings) => loginOrVariables('to add one, run: gwtoken login', settings),
  'no-region': (settings) => {
    const stored = storedClients(settings);
    const or = stored.length > 0 ? 'or ' : '';
    const set = `${or}use ${listOf(REGIONS.map((region) => `--region ${region}`))}, or export GWTOKEN_REGION`;
    const help = prefersVariables(settings) ? [CI_HELP] : [];
    return [...stored, set, ...help];
  },
  'no-auth-url': (settings) => {
    const { client, flags } = settings;
    const set = `export GWTOKEN_AUTH_URL, or run: ${setAuthUrlLine(client)}`;
    const login = `to set up this client, run: ${loginCommand(client, flags)}`;
    return prefersVariables(settings) ? [set, CI_HELP] : [login, `or ${set}`];
  },
  'no-credentials': (settings, { source }) =>
    source?.kind === 'keychain'
      ? [...storedClients(settings), ...missingLogin(settings)]
      : useVariables(settings),
  'not-returned': missingLogin,
} satisfies Record<Missing, Row>;

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
