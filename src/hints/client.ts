/** The next steps after errors of a client: to select it, and to give its credentials. */
import { clientFlags, parseClientName, profileFlag, REGIONS } from '../client';
import { orUndefined } from '../errors';
import { isForThisRun, undoStep } from '../settings/table';
import { listOf, shellWord } from '../text';
import type { Facts, Rows, Steps } from './row';
import { flagsFor, noHomeStep, otherCause, useVariables } from './steps';

const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';
/** Longest list of stored clients that fits in a line of 80 columns. */
const MOST_COLUMNS = 73;

export const CLIENT_ROWS = {
  // The selected client
  'no-client': (facts) => [otherCause(facts), ...loginOrVariables('to add one, run: gwtoken login', facts)],
  'no-region': (facts) => {
    const stored = storedStep(facts);
    const set = `use ${listOf(REGIONS.map((region) => `--region ${region}`))}, or export GWTOKEN_REGION`;
    const help = facts.settings?.prefersVariables() ? CI_HELP : undefined;
    return [otherCause(facts), stored, stored === undefined ? set : `or ${set}`, help];
  },
  'no-auth-url': (facts) => {
    const { region, profile } = facts.client;
    const config = `gwtoken config set auth-url.${region} URL${profileFlag(profile)}`;
    const set = `export GWTOKEN_AUTH_URL, or run: ${config}`;
    const login = `to set up this client, run: gwtoken login ${flagsFor(facts)}`;
    const isForLogin = !facts.settings?.prefersVariables();
    return [otherCause(facts), ...(isForLogin ? [login, `or ${set}`] : [set, CI_HELP])];
  },
  'no-api-url': ({ client: { region, profile } }) => [
    `to set it, run: gwtoken config set api-url.${region} https://YOUR-GATEWAY${profileFlag(profile)}`,
    'or begin the URL with https://',
  ],
  'nothing-stored': (facts) => [storedStep(facts)],

  // Credentials
  'no-credentials': (facts) => [
    otherCause(facts),
    facts.source?.kind === 'keychain' ? storedStep(facts) : undefined,
    ...missingCredentials(facts),
  ],
  'not-returned': (facts) => [otherCause(facts), ...missingCredentials(facts)],
  'not-removed': (facts) => [
    'allow access in the dialog, or unlock the keyring, and try again',
    // If the item was removed by hand, logout needs a new one to remove.
    `or run: gwtoken login ${flagsFor(facts)} --no-verify, and log out again`,
  ],
  // The first hint sends the secret to no other address.
  'item-for-other-url': (facts) => {
    const { own, setting } = facts;
    const login = `run: gwtoken login ${flagsFor(facts)}`;
    if (setting === undefined) return [`to store one with it, ${login}`];
    const other = `${login} --auth-url ${shellWord(setting.text)}`;
    return own === undefined ? [other] : [undoStep(setting.source), `or ${other}`];
  },
  'command-for-other-url': ({ own, client: { region, profile }, setting }) => {
    const url = setting === undefined ? 'URL' : shellWord(setting.text);
    const config = `gwtoken config set auth-url.${region} ${url}${profileFlag(profile)}`;
    return own === undefined
      ? ['let the command print it as "auth_url"', `or run: ${config}`]
      : [undoStep(setting?.source), 'or let the command print that URL as "auth_url"'];
  },
  'bad-item': (facts) => [`to replace it, run: gwtoken login ${flagsFor(facts)}`],

  // A warning of status
  'none-selected': (facts) => [
    otherCause(facts),
    `to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`,
  ],

  // The directories
  'no-home': (noHome) => [noHomeStep(noHome)],
} satisfies Partial<Rows>;

/** Returns the names of the stored clients, and how to select the only one; undefined if none is stored. */
function storedStep({ settings }: Facts): string | undefined {
  // An unreadable list is another error.
  const [first, ...others] = Object.keys((settings && orUndefined(settings.stored)) ?? {});
  if (!settings || first === undefined) return undefined;
  const client = parseClientName(first);
  if (!client || others.length > 0) {
    const list = `stored: ${[first, ...others].join(', ')}`;
    return list.length > MOST_COLUMNS ? 'to list stored clients, run: gwtoken status' : list;
  }
  // A default is left out unless the settings select something else.
  const given = {
    profile: settings.profile.value === client.profile ? undefined : true,
    sandbox: settings.environment.value === client.environment ? undefined : true,
  };
  return `stored: ${first}; use ${clientFlags(client, given)}`;
}

function missingCredentials(facts: Facts): Steps {
  const { client, authUrl, source } = facts;
  if (!client || source?.kind !== 'keychain') return useVariables(facts);
  // login suggests the URL of the config file or the stored client itself.
  const isKept = !authUrl || !isForThisRun(authUrl);
  const url = isKept ? '' : ` --auth-url ${shellWord(authUrl.text)}`;
  return loginOrVariables(`run: gwtoken login ${flagsFor({ ...facts, client })}${url}`, facts);
}

/** Returns the steps to log in or to set variables; where nobody logs in, only variables. */
function loginOrVariables(login: string, facts: Facts): Steps {
  return facts.settings?.prefersVariables() ? useVariables(facts) : [login, ...useVariables(facts, 'or ')];
}
