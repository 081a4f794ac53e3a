/** The next steps after errors of a client: to select it, its credentials, the keychain, and refusals. */
import type { NoHome, ReasonWithFacts } from '../causes';
import { type Client, clientFlags, parseClientName, profileFlag, REGIONS } from '../client';
import { FORKS_GET_NO_SECRETS, variablePairs } from '../credentials/variables';
import { orUndefined } from '../errors';
import { knownProfiles } from '../settings/resolve';
import { isForThisRun, type Settings, undoStep } from '../settings/table';
import { listOf, shellWord, similarWords } from '../text';
import type { Facts, Rows, Steps } from './row';

export const ABOUT_AUTH_URL = 'the auth URL is the token endpoint before /oauth2/token';
const CHECK_AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';
const LIST_CLIENTS = 'to list stored clients, run: gwtoken status';
/** Longest list of stored clients that fits in a line of 80 columns. */
const MOST_COLUMNS = 73;

const UNLOCK = {
  linux: 'unlock it: log in to the desktop, or in seahorse, KWallet or KeePassXC',
  darwin: 'unlock it (needed once per ssh session): security unlock-keychain',
  win32: 'log in to Windows on the desktop, not only over the network',
};

export const CLIENT_ROWS = {
  // The selected client
  'no-client': (_, facts) => [
    otherCause(facts),
    ...loginOrVariables('to add one, run: gwtoken login', facts),
  ],
  'no-region': (_, facts) => {
    const stored = storedStep(facts);
    const set = `use ${listOf(REGIONS.map((region) => `--region ${region}`))}, or export GWTOKEN_REGION`;
    const help = facts.settings?.prefersVariables() ? CI_HELP : undefined;
    return [otherCause(facts), stored, stored === undefined ? set : `or ${set}`, help];
  },
  'no-auth-url': ({ client }, facts) => {
    const config = `gwtoken config set auth-url.${client.region} URL${profileFlag(client.profile)}`;
    const set = `export GWTOKEN_AUTH_URL, or run: ${config}`;
    const login = `to set up this client, run: gwtoken login ${flagsFor(client, facts)}`;
    return [otherCause(facts), ...loginOrSet(login, set, facts)];
  },
  'no-api-url': ({ client: { region, profile } }) => [
    `to set it, run: gwtoken config set api-url.${region} https://YOUR-GATEWAY${profileFlag(profile)}`,
    'or begin the URL with https://',
  ],
  'nothing-stored': (_, facts) => [storedStep(facts)],

  // Credentials
  'no-credentials': (_, facts) => [
    otherCause(facts),
    facts.source?.kind === 'keychain' ? storedStep(facts) : undefined,
    ...missingCredentials(facts),
  ],
  'not-returned': (_, facts) => [otherCause(facts), ...missingCredentials(facts)],
  'not-removed': ({ client }, facts) => {
    const flags = flagsFor(client, facts);
    return [
      'allow access in the dialog, or unlock the keyring, and try again',
      // If the item was removed by hand, logout needs a new one to remove.
      `or run: gwtoken login ${flags} --no-verify, and log out again`,
    ];
  },
  // The first hint sends the secret to no other address.
  'item-for-other-url': ({ own, client, setting }, facts) => {
    const login = `run: gwtoken login ${flagsFor(client, facts)}`;
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
  'bad-item': ({ client }, facts) => [`to replace it, run: gwtoken login ${flagsFor(client, facts)}`],

  // Refusals and other replies of the endpoint
  invalid_client: rejectedCredentials,
  invalid_grant: rejectedCredentials,
  unauthorized: rejectedCredentials,
  'no-oauth-error': (_, facts) => [CHECK_AUTH_URL, checkCredentials(facts)],
  'unknown-error': (_, facts) => [checkCredentials(facts), CHECK_AUTH_URL],
  forbidden: (_, { source }) => [
    `check the auth URL, and ${nameOf(source)}`,
    'or ask your administrator: a firewall or proxy may be blocking this',
  ],
  unauthorized_client: () => [CHECK_GRANT],
  unsupported_grant_type: () => [CHECK_GRANT],
  invalid_scope: () => ["ask the endpoint's operator to give this client a default scope"],
  invalid_request: () => ["ask the endpoint's operator what else a token request needs"],
  'unusable-reply': () => ['possible causes: gwtoken help network'],
  'html-page': () => ['check the auth URL; a login page or firewall may be answering instead'],
  'api-answer': () => ["check the auth URL: this is an API's answer, not a token endpoint's"],
  'wrong-path': () => [CHECK_AUTH_URL],
  'rate-limited': () => [
    'too many requests: try again later',
    'without --fresh and --no-cache, calls share the cached token',
  ],
  outage: () => ['the problem is on the server; try again later'],
  'just-expired': () => ["try again after a second; if it persists, contact the endpoint's operator"],
  // The keychain
  'module-missing': () => ['reinstall gwtoken without --omit=optional; npm skips what it cannot fetch'],
  'library-missing': () => ['install libsecret (Debian, Ubuntu: apt-get install libsecret-1-0)'],
  'not-loadable': () => ['for details, add --verbose; if TMPDIR is noexec or full, set another one'],
  'no-session': ({ variable }, { settings }) => [
    settings?.env['SUDO_USER'] ? "sudo has root's keychain: run gwtoken without sudo" : undefined,
    variable && `${variable} is not of your session: unset it, or log in again`,
  ],
  'no-provider': (_, { platform }) =>
    platform === 'darwin'
      ? ['log in to the desktop']
      : ['install and start gnome-keyring, KWallet or KeePassXC'],
  'no-collection': (_, { platform }) =>
    platform === 'darwin'
      ? ['set one: security default-keychain -s login.keychain-db']
      : ['log in to the desktop once, or expose a group of a KeePassXC database'],
  locked: (_, { platform }) => [UNLOCK[platform as keyof typeof UNLOCK] ?? UNLOCK.linux],
  denied: (_, { platform }) =>
    platform === 'darwin'
      ? ['when macOS asks whether node may use the item, choose Always Allow']
      : ['try again, and allow access in the dialog'],
  sandboxed: () => [],
  'timed-out': () => ['answer its dialog, or export GWTOKEN_KEYCHAIN_TIMEOUT=2m'],
  crashed: () => ['try again; if it keeps crashing, reinstall gwtoken'],
  'key-mismatch': () => ['try again'],
  failed: () => [],
} satisfies Partial<Rows>;

/** Returns the hint at a cause that is likelier than a missing login; undefined if there is none. */
export function otherCause({ settings, isListed }: Facts): string | undefined {
  if (!settings) return undefined;
  const { noHome } = settings.config;
  return noHome ? noHomeStep(noHome) : unknownProfile(settings, isListed);
}

export function noHomeStep({ home, variable }: NoHome): string {
  return `${home} is not set to a directory; set it or ${variable}`;
}

/** Returns the names of the stored clients; none if the list is unreadable, which is another error. */
function storedNames({ stored }: Settings): readonly string[] {
  return Object.keys(orUndefined(stored) ?? {});
}

function unknownProfile(settings: Settings, isListed = false): string | undefined {
  const { value: profile, source } = settings.profile;
  const known = knownProfiles(settings.config.profiles, settings.stored);
  if (known.includes(profile)) return undefined;
  const [meant] = similarWords(profile, known);
  if (meant !== undefined)
    return `did you mean: ${source.kind === 'flag' ? '--profile' : 'profile'} ${meant}`;
  return isListed ? undoStep(source) : undefined;
}

/** Returns the names of the stored clients, and how to select the only one; undefined if none is stored. */
function storedStep({ settings }: Facts): string | undefined {
  const [first, ...others] = settings ? storedNames(settings) : [];
  if (!settings || first === undefined) return undefined;
  const client = parseClientName(first);
  if (!client || others.length > 0) {
    const list = `stored: ${[first, ...others].join(', ')}`;
    return list.length > MOST_COLUMNS ? LIST_CLIENTS : list;
  }
  // A default is left out unless the settings select something else.
  const given = {
    profile: settings.profile.value === client.profile ? undefined : true,
    sandbox: settings.environment.value === client.environment ? undefined : true,
  };
  return `stored: ${first}; use ${clientFlags(client, given)}`;
}

function flagsFor(client: Client, { settings }: Facts): string {
  return clientFlags(client, settings?.flags);
}

/** Returns the steps to log in or to set variables; where nobody logs in, only variables. */
function loginOrSet(login: string, set: string, { settings }: Facts): Steps {
  return settings?.prefersVariables() ? [set, CI_HELP] : [login, `or ${set}`];
}

function missingCredentials(facts: Facts): Steps {
  const { client, authUrl, source } = facts;
  if (!client || source?.kind !== 'keychain') return useVariables(facts);
  // login suggests the URL of the config file or the stored client itself.
  const isKept = !authUrl || !isForThisRun(authUrl);
  const url = isKept ? '' : ` --auth-url ${shellWord(authUrl.text)}`;
  return loginOrVariables(`run: gwtoken login ${flagsFor(client, facts)}${url}`, facts);
}

/** Returns the steps to log in or to set variables; where nobody logs in, only variables. */
function loginOrVariables(login: string, facts: Facts): Steps {
  return facts.settings?.prefersVariables() ? useVariables(facts) : [login, ...useVariables(facts, 'or ')];
}

/** Returns the steps to set variables, or says that they are empty or ignored. */
export function useVariables({ client, settings }: Partial<Facts>, or = ''): Steps {
  if (!settings) return [];
  const { env, flags } = settings;
  if (flags.profile !== undefined)
    return [`${or}to use variables, replace --profile by GWTOKEN_PROFILE=${flags.profile}`];
  const names = client ? variablePairs(client).flat() : [];
  const empty = names.filter((name) => env[name] === '');
  if (empty.length > 0) return [`empty: ${empty.join(', ')}`, FORKS_GET_NO_SECRETS];
  // `. .env` alone does not export them.
  return [`${or}export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help ci)`];
}

const CHECK_GRANT = 'check on the Clients page that the client may use client_credentials';

function rejectedCredentials(_: ReasonWithFacts, facts: Facts): Steps {
  const { client, source } = facts;
  // login has verified the credentials in their region, so the secret was replaced or revoked since.
  if (client && source?.kind === 'keychain')
    return [`to store a new secret, run: gwtoken login ${flagsFor(client, facts)}`];
  const others = listOf(REGIONS.filter((region) => region !== client?.region));
  return [
    checkCredentials(facts),
    client && `if the client belongs to region ${others}, use --region ${others}; check the auth URL too`,
  ];
}

/** Returns the check of ID and secret; undefined if a person has just typed them. */
function checkCredentials({ source }: Facts): string | undefined {
  return source?.kind === 'prompt' ? undefined : `check ${nameOf(source)}`;
}

/** Returns the ID and the secret in words, with their place. */
function nameOf(source: Facts['source']): string {
  if (source?.kind === 'variables') return source.name;
  if (source?.kind === 'command') return `the client ID and secret (from ${source.name})`;
  return 'the client ID and secret';
}
