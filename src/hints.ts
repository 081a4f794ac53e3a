/**
 * The next steps after an error: one row for each reason, best hint first. Two hints are shown.
 */
import type { Cause, Reason, Subject } from './causes';
import { type Client, clientFlags, DEFAULT_PROFILE, profileFlag, REGIONS } from './client';
import { FORKS_GET_NO_SECRETS, variablePairs } from './credentials/variables';
import { type GwtokenError, orUndefined } from './errors';
import { configKeys, isForThisRun, SETTINGS, type Settings, variableOf } from './settings/table';
import { LONGEST_LIMIT_MS } from './settings/values';
import { duration, listOf, shellWord, similarWords } from './text';
import type { World } from './world';

/** The most hints that an error shows. */
const MOST_HINTS = 2;

/** What hints may depend on beside the cause. */
interface Facts extends Subject {
  readonly platform: NodeJS.Platform;
  /** Absent if the config file cannot be read, or the command line is invalid. */
  readonly settings?: Settings | undefined;
}

/** Steps that may not apply; the others count in their order. */
type Steps = readonly (string | undefined)[];
/** The cause with this reason. */
type CauseOf<R, C = Cause> = C extends { readonly reason: infer Q } ? (R extends Q ? C : never) : never;
type Row<R extends Reason> = (cause: CauseOf<R>, facts: Facts) => Steps;
type Rows = { readonly [R in Reason]: Row<R> };

/** An error, or the problem that a warning reports. */
export type Problem = Partial<Pick<GwtokenError, 'kind' | 'cause' | 'subject'>>;

/** Returns the hints for a problem, best first: each is the next command or variable to type. */
export function hintsFor(
  { kind, cause, subject }: Problem,
  { platform }: Pick<World, 'platform'>,
  settings?: Settings,
): readonly string[] {
  const facts: Facts = { ...subject, platform, settings };
  const steps = [
    facts.isRepeated && 'to ask at once, add --fresh',
    ...(facts.mistakes ?? []),
    ...(cause ? stepsFor(cause, facts) : []),
    ...(kind === 'keychain' && (facts.source || facts.isToBeStored)
      ? [otherCause(facts), useVariables(facts)]
      : []),
    facts.command !== undefined && `for help, run: ${facts.command} --help`,
  ];
  const best = [...new Set(steps.filter((step) => typeof step === 'string'))];
  const last = lastStep(facts);
  return last === undefined ? best.slice(0, MOST_HINTS) : [...best.slice(0, MOST_HINTS - 1), last];
}

/** Returns the step that is always shown: another way to get on; undefined if there is none. */
function lastStep(facts: Facts): string | undefined {
  const { client, mayBeStored, restart, mayStoreUnverified, sourceInUse, cachedLeftMs } = facts;
  if (mayBeStored && client) return removeStored(client);
  if (restart !== undefined) return `to start again, run: ${restart}`;
  if (mayStoreUnverified) return 'to store them unverified, add --no-verify';
  if (sourceInUse !== undefined) return `no login is needed here: gwtoken uses ${sourceInUse}`;
  if (cachedLeftMs === undefined) return undefined;
  return `the cached token is valid for ${duration(cachedLeftMs)} more: use --min-ttl 1s`;
}

/** Returns the step after a login that was interrupted while it stored the client's credentials. */
export function removeStored(client: Client): string {
  return `the credentials may be stored; to remove them, run: gwtoken logout ${clientFlags(client)}`;
}

/** Returns the steps of a cause, best first. */
function stepsFor(cause: Cause, facts: Facts): readonly string[] {
  const row = ROWS[cause.reason] as Row<Reason> | undefined;
  return (row?.(cause, facts) ?? []).filter((step) => step !== undefined);
}

/** Fits in 79 columns. Nothing follows the URL, so that it can be copied. */
export const ABOUT_AUTH_URL =
  'the auth URL is the token endpoint before /oauth2/token: https://id.example.com';
const CHECK_AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';
const LIST_CLIENTS = 'to list stored clients, run: gwtoken status';

const ASK_OPERATORS = 'contact the operator of the endpoint or of your proxy';
const NO_CLIENT_CERTIFICATE = 'the server may require a client certificate, which gwtoken does not have';

const UNLOCK = {
  linux:
    'unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC',
  darwin: 'unlock it (needed once per ssh session): security unlock-keychain',
  win32: 'log in to Windows on the desktop, not only over the network',
};

const ROWS: Rows = {
  // The command line
  'bad-line': () => [],
  mistyped: ({ meant }) => [`did you mean: ${meant}`],
  comment: () => ['leave the comment out: on a typed line, zsh passes it as arguments'],
  dash: () => ['use hyphens: -- and not a dash'],
  'joined-value': () => ['put a space between KEY and VALUE'],
  'no-revoke': () => ['to revoke a client, use the Clients page'],
  'secret-flag': ({ hasStdin }) => [
    `no flag takes a secret: ${hasStdin ? 'use the prompt or --secret-stdin' : 'gwtoken login prompts for it'}`,
  ],
  'no-topic': ({ topic }) => [
    topic === undefined
      ? 'for all commands and topics, run: gwtoken help'
      : `to read it all, run: gwtoken help ${topic}`,
  ],

  // Settings, flags and formats
  'bad-value': ({ allowed, undo }) => [`use ${allowed}`, undo],
  'unknown-key': ({ isCredential, meant }) => {
    if (isCredential) return ['to store credentials, run: gwtoken login'];
    return [meant === undefined ? `valid keys: ${configKeys().join(', ')}` : `did you mean: ${meant}`];
  },
  'not-per-profile': () => ['omit --profile'],
  'not-a-url': ({ example, meant }) => [
    meant === undefined ? `example: ${example}` : `did you mean: ${meant}`,
  ],
  'url-query': ({ example }) => [`use only the base URL, for example ${example}`],
  'url-unencrypted': ({ secure }) => [`use ${secure}`],
  'url-placeholder': () => ['the only placeholder is {region}'],
  'url-user': () => ['remove it; gwtoken login stores credentials in the keychain'],
  'flags-conflict': () => ['omit one of them'],
  'not-set': ({ key, profile }) => [`to set it, run: gwtoken config set ${key} VALUE${profileFlag(profile)}`],
  'no-unset-format': () => ['delete the file or the lines in it'],
  'unfit-format': ({ instead }) => [instead && `use instead: ${instead}`],

  // The selected client
  'no-client': (_, facts) => [
    otherCause(facts),
    facts.settings?.prefersVariables() ? CI_HELP : 'to add one, run: gwtoken login',
  ],
  'no-region': (_, facts) => {
    const set = `use ${listOf(REGIONS.map((region) => `--region ${region}`))}, or set GWTOKEN_REGION`;
    const isAnyStored = facts.settings && storedNames(facts.settings).length > 0;
    const start = isAnyStored ? LIST_CLIENTS : 'to set up a client, run: gwtoken login';
    return [otherCause(facts), ...loginOrSet(start, set, facts)];
  },
  'no-auth-url': ({ client }, facts) => {
    const key = `auth-url.${client.region}`;
    const config = `gwtoken config set ${key} URL${profileFlag(client.profile)}`;
    const set = `set ${variableOf(SETTINGS.authUrl, key)}, or run: ${config}`;
    const login = `to set up this client, run: gwtoken login ${clientFlags(client)}`;
    return [otherCause(facts), ...loginOrSet(login, set, facts)];
  },

  'no-api-url': ({ client: { region, profile } }) => [
    `to set it, run: gwtoken config set api-url.${region} https://YOUR-GATEWAY${profileFlag(profile)}`,
    'or begin the URL with https://',
  ],
  'nothing-stored': () => [LIST_CLIENTS],
  'stdin-terminal': () => ['pipe the secret in, or omit --secret-stdin to be prompted'],
  'login-incomplete': ({ example, isUrlMissing }) => [
    `example: printf %s "$SECRET" | ${example} --secret-stdin`,
    isUrlMissing ? ABOUT_AUTH_URL : undefined,
  ],
  'not-confirmed': ({ removes }) => [`with --yes it removes ${removes}`],
  'empty-input': ({ inputs }) => [`set ${inputs} under "with" in the step`],
  'all-with-client': () => ['to remove one client, omit --all'],

  // Credentials
  'no-credentials': missingCredentials,
  'not-returned': missingCredentials,
  'not-removed': ({ client }) => [
    'allow access in the dialog, or unlock the keyring, and try again',
    // If the item was removed by hand, logout needs a new one to remove.
    `or run: gwtoken login ${clientFlags(client)} --no-verify, then gwtoken logout ${clientFlags(client)}`,
  ],
  // The first hint sends the secret to no other address.
  'item-for-other-url': ({ own, client, setting }) => {
    const login = `run: gwtoken login ${clientFlags(client)}`;
    if (setting === undefined) return [`to store one with it, ${login}`];
    const other = `to use ${setting.value}, ${login} --auth-url ${shellWord(setting.text)}`;
    return own === undefined ? [other] : [setting.source.undo, `or, ${other}`];
  },
  'command-for-other-url': ({ own, client: { region, profile }, setting }) => {
    const url = setting === undefined ? 'URL' : shellWord(setting.text);
    const config = `run: gwtoken config set auth-url.${region} ${url}${profileFlag(profile)}`;
    if (setting === undefined) return ['let the command print it as "auth_url"', `or, ${config}`];
    const { value, source } = setting;
    return own === undefined
      ? [
          `${source.undo}: the auth URL must come from the command's output or the config file`,
          `to set it there, ${config}`,
        ]
      : [source.undo, `or, to use ${value}, let the command print it as "auth_url"`];
  },
  'half-pair': ({ missing, present, isEmpty }) => [
    `set ${missing}${isEmpty ? '' : ' too'}, or unset ${present} to use other credentials`,
  ],
  'both-secrets': () => ['unset one of them'],
  'bad-client-id': () => ['provide only the client ID, on one line'],
  'bad-secret': () => ['provide only the secret, on one line of UTF-8'],
  'bad-secret-file': () => ['it must be a regular file that contains only the client secret'],
  'item-too-long': () => ['use environment variables or a secret file: gwtoken help settings'],
  'bad-item': ({ client }) => [
    `to replace it, run: gwtoken login ${clientFlags(client)}`,
    `to remove it, run: gwtoken logout ${clientFlags(client)}`,
  ],

  // Refusals and other replies of the endpoint
  invalid_client: rejectedCredentials,
  invalid_grant: rejectedCredentials,
  unauthorized: rejectedCredentials,
  'no-oauth-error': (_, facts) => [CHECK_AUTH_URL, checkCredentials(facts)],
  'unknown-error': (_, facts) => [checkCredentials(facts), CHECK_AUTH_URL],
  forbidden: (_, { source }) => [
    `check the auth URL, and the client ID and secret${source?.origin ?? ''}`,
    'or ask the administrator of your firewall or proxy: it may be blocking this',
  ],
  unauthorized_client: () => [CHECK_GRANT],
  unsupported_grant_type: () => [CHECK_GRANT],
  invalid_scope: () => ["ask the endpoint's operator to give this client a default scope"],
  invalid_request: () => ["ask the endpoint's operator what a token request needs beside ID and secret"],
  'unusable-reply': () => ['possible causes: gwtoken help network'],
  'html-page': () => ['check the auth URL; a login page or firewall may be answering instead'],
  'api-answer': () => ["check the auth URL: this is an API's answer, not a token endpoint's"],
  redirect: () => ['check the auth URL: it must not redirect'],
  'wrong-path': () => [CHECK_AUTH_URL],
  'rate-limited': () => [
    'too many requests: try again later; without --fresh and --no-cache, calls share the cached token',
  ],
  outage: () => ['the problem is on the server; try again later'],
  'just-expired': () => ["try again after a second; if it persists, contact the endpoint's operator"],
  'no-lifetime': ({ name }) => [`omit ${name}`],
  'min-ttl-too-long': ({ name }) => [`lower ${name}`],
  'late-holder': () => ['raise --timeout, or use --no-cache to not wait'],
  'out-of-time': () => ['raise --timeout (a call may take three times that in total)'],

  // The connection
  'host-not-found': (facts) => connectionHints(facts, `check ${facts.setting} for typos`),
  network: (facts) => connectionHints(facts, 'check the network, the VPN and the firewall'),
  'connection-refused': (facts) =>
    connectionHints(facts, `check the host and port in ${facts.setting}; if right, the server is down`),
  'connection-closed': (facts) =>
    connectionHints(facts, `check the network, and the host and port in ${facts.setting}`),
  'no-tls': (facts) => connectionHints(facts, `check the scheme and port in ${facts.setting}`),
  'no-http-1': (facts) => connectionHints(facts, ASK_OPERATORS),
  'no-cipher': (facts) => connectionHints(facts, NO_CLIENT_CERTIFICATE),
  'no-cipher-of-executable': (facts) =>
    connectionHints(
      facts,
      'try the npm package, which knows more of them than the executable',
      `or ${NO_CLIENT_CERTIFICATE}`,
    ),
  'handshake-failed': (facts) =>
    connectionHints(
      facts,
      `check the host and port in ${facts.setting}: the server must support TLS 1.2 or later`,
    ),
  'time-limit': (facts) =>
    connectionHints(facts, `check ${facts.setting} and the network, or raise --timeout`),
  'certificate-time': () => ["check this machine's clock; if it is right, contact the endpoint's operator"],
  'certificate-name': ({ setting }) => [`check the host name in ${setting}`],
  'self-signed': () => ['if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE'],
  'unknown-ca': ({ caFile, insteadOfSystem }) => [
    `${whereCaIsMissing(caFile, insteadOfSystem)} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE`,
    'if the CA is public, the server is not sending its intermediate certificate',
  ],
  certificate: () => [ASK_OPERATORS],
  'ca-file': () => ['pass a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file'],
  'bad-proxy-url': ({ setting }) => [
    `example: ${setting}=http://USER:PASSWORD@proxy.example.com:3128; in a password / is %2F, @ is %40`,
  ],
  'not-a-proxy': ({ setting }) => [`check that ${setting} is the URL of an HTTP proxy`],
  'proxy-password': ({ setting, example }) => [`set ${setting}=${example}`],
  'proxy-password-wrong': () => ['percent-encode them: @ is %40, / is %2F'],
  'proxy-refusal': ({ target }) => [`ask the proxy's administrator to allow ${target}`],
  'proxy-failure': ({ target }) => [`if ${target} is reachable without a proxy, add it to NO_PROXY`],
  'bad-http': () => [`check the auth URL; if it is right, ${ASK_OPERATORS}`],
  'no-reply': ({ mayWantCertificate }) => [
    `try again; if it persists, ${ASK_OPERATORS}`,
    ...(mayWantCertificate ? [NO_CLIENT_CERTIFICATE] : []),
  ],
  'no-webassembly': () => ['remove --jitless from NODE_OPTIONS'],

  // The keychain
  'module-missing': () => [
    'reinstall gwtoken without --omit=optional; npm leaves keytar out silently if it cannot fetch it',
  ],
  'library-missing': () => [
    'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; ' +
      'Arch: pacman -S libsecret; Alpine: apk add libsecret',
  ],
  'not-loadable': () => [
    'for details, add --verbose; if TMPDIR is mounted noexec, set it to another directory',
  ],
  'no-session': ({ isForeign }) =>
    isForeign ? ['DBUS_SESSION_BUS_ADDRESS is not of your session: unset it, or log in again'] : [],
  'no-provider': (_, { platform }) =>
    platform === 'darwin'
      ? ['log in to the desktop']
      : ['install and start gnome-keyring, KWallet or KeePassXC'],
  'no-collection': (_, { platform }) =>
    platform === 'darwin'
      ? ['set one: security default-keychain -s login.keychain-db']
      : [
          'log in to the desktop once, or open a KeePassXC database that exposes a group to the Secret Service',
        ],
  locked: (_, { platform }) => [UNLOCK[platform as keyof typeof UNLOCK] ?? UNLOCK.linux],
  denied: (_, { platform }) =>
    platform === 'darwin'
      ? ['when macOS asks whether node may use the item, choose Always Allow']
      : ['try again, and allow access in the dialog'],
  'timed-out': ({ limitMs }) =>
    limitMs === undefined ? ['answer its dialog, or restart it if it is stuck'] : [waitLonger(limitMs)],
  crashed: () => ['try again; if it keeps crashing, reinstall gwtoken'],
  'key-mismatch': () => ['try again'],
  failed: () => [],

  // The credential command
  'command-failed': ({ profile }) => [
    `to see the command, run: gwtoken config get credential-command${profileFlag(profile)}`,
  ],
  'command-output': () => ['it must print only {"client_id":"…","client_secret":"…"} to stdout'],

  // Files, streams and programs
  'no-runner-file': ({ variable }) => [
    `the runner sets ${variable} for each step; for a shell, see: gwtoken help shells`,
  ],
  'not-appendable': () => ["check the free disk space and the file's permissions"],
  'not-a-file': () => ['choose another path'],
  'not-writable': () => ['choose a path that you can write to'],
  'mounted-file': () => ['mount its directory instead of the file'],
  'relative-path': () => ['pass an absolute path, or change to another directory'],
  'no-home': ({ home, variable }) => [`${home} is not set to a directory; set it or ${variable}`],
  untrusted: ({ chmod, variable }) => [
    chmod ? `run: ${chmod}` : `run gwtoken as its owner, or set ${variable} to a directory you own`,
  ],
  'directory-not-writable': ({ variable }) => [`set ${variable} to a writable directory`],
  'bad-file': ({ path }) => [`fix ${path}`],
  'no-free-descriptors': () => ['close two of them: 8>&- 9>&-'],
  'word-not-utf8': () => ['write it in UTF-8'],
  'variable-not-utf8': ({ name }) => [
    name === undefined ? 'unset it' : `to run the command without it, run: env -u ${name} gwtoken …`,
  ],
  'stdout-failed': () => ['free some disk space, or write elsewhere'],
  'lock-held': () => ['stop that process and try again'],
  // What doctor and status warn of
  'none-selected': () => [`to select one, add --region, or run: gwtoken config set region ${REGIONS[0]}`],
  'clock-off': () => ['set the clock: timedatectl set-ntp true (Linux), or the date and time settings'],
  'certificate-ending': () => ["ask the endpoint's operator to renew the certificate"],
  'system-limit': ({ isMemory }) => [
    // The WebAssembly in which undici parses HTTP reserves 8 GB of addresses.
    ...(isMemory ? ['raise ulimit -v, or use the standalone executable, which needs less'] : []),
    'to see the limits, run: ulimit -a',
  ],
  'command-not-found': ({ shell }) => [
    `check the spelling and PATH; for a shell's built-in or line, run: gwtoken exec -- ${shell}`,
  ],
  'curl-not-found': () => ['install it, or add its directory to PATH'],
};

export const REASONS = Object.keys(ROWS) as Reason[];

/** Returns the hint at a cause that is likelier than a missing login; undefined if there is none. */
function otherCause(facts: Facts): string | undefined {
  const { settings } = facts;
  if (!settings) return undefined;
  const { noHome } = settings.config;
  return noHome ? stepsFor(noHome, facts)[0] : misspelledProfile(settings);
}

/** Returns the names of the stored clients; none if the list is unreadable, which is another error. */
function storedNames({ stored }: Settings): readonly string[] {
  return Object.keys(orUndefined(stored) ?? {});
}

function misspelledProfile(settings: Settings): string | undefined {
  const { value: profile, source } = settings.profile;
  const ofStored = storedNames(settings).map((name) => name.replace(/:.*/, ''));
  const known = [DEFAULT_PROFILE, ...Object.keys(settings.config.profiles), ...ofStored];
  if (known.includes(profile)) return undefined;
  const [meant] = similarWords(profile, known);
  if (meant !== undefined)
    return `did you mean: ${source.kind === 'flag' ? '--profile' : 'profile'} ${meant}`;
  return ofStored.length > 0 ? LIST_CLIENTS : undefined;
}

/** Returns the steps to log in or to set variables; where nobody logs in, only variables. */
function loginOrSet(login: string, set: string, { settings }: Facts): Steps {
  return settings?.prefersVariables() ? [set, CI_HELP] : [login, `or ${set}`];
}

function missingCredentials(_: Cause, facts: Facts): Steps {
  const { client, authUrl, source, settings } = facts;
  if (!client || source?.kind !== 'keychain' || settings?.prefersVariables())
    return [otherCause(facts), useVariables(facts)];
  // login suggests the URL of the config file or the stored client itself.
  const isKept = !authUrl || !isForThisRun(authUrl);
  const url = isKept ? '' : ` --auth-url ${shellWord(authUrl.text)}`;
  const login = `to store credentials, run: gwtoken login ${clientFlags(client)}${url}`;
  return [otherCause(facts), login, useVariables(facts, 'or set')];
}

/** The variables that hold for every client. */
const PLAIN_PAIR = 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET';

/** Returns the hint about variables: to set them, or that they are empty or ignored. */
function useVariables({ client, settings, platform }: Facts, set = 'set'): string | undefined {
  if (!settings) return undefined;
  const { env, flags, prefersVariables } = settings;
  const names = client ? variablePairs(client).flat() : [];
  if (client && flags.profile !== undefined) {
    const ignored = names.find((name) => env[name]);
    if (ignored === undefined && !prefersVariables()) return undefined;
    if (ignored === undefined)
      return `replace --profile by GWTOKEN_PROFILE=${client.profile}, and set ${PLAIN_PAIR}`;
    return `${ignored} is ignored because of --profile; to use it, set GWTOKEN_PROFILE=${client.profile} instead`;
  }
  const empty = names.filter((name) => env[name] === '');
  if (empty.length > 0) return `empty: ${empty.join(', ')} (${FORKS_GET_NO_SECRETS})`;
  if (!prefersVariables()) return `${set} ${PLAIN_PAIR} (gwtoken help keychain)`;
  // `. .env` alone does not export them.
  return `${platform === 'win32' ? 'set' : 'export'} ${PLAIN_PAIR} (gwtoken help ci)`;
}

const CHECK_GRANT = 'check on the Clients page that the client exists and may use client_credentials';

function rejectedCredentials(_: Cause, facts: Facts): Steps {
  const { client, source } = facts;
  // login has verified the credentials in their region, so the secret was replaced or revoked since.
  if (client && source?.kind === 'keychain')
    return [`to store a new secret, run: gwtoken login ${clientFlags(client)}`];
  const others = listOf(REGIONS.filter((region) => region !== client?.region));
  return [
    checkCredentials(facts),
    client && `if the client belongs to region ${others}, use --region ${others}`,
  ];
}

/** Returns the check of ID and secret; undefined if a person has just typed them several times. */
function checkCredentials({ source, isRetyped }: Facts): string | undefined {
  return isRetyped ? undefined : `check the client ID and secret${source?.origin ?? ''}`;
}

/** Returns the hint that suggests twice the `keychain-timeout`. */
function waitLonger(limitMs: number): string {
  const longerS = Math.min(2 * Math.ceil(limitMs / 1000), LONGEST_LIMIT_MS / 1000);
  return `to wait longer, set GWTOKEN_KEYCHAIN_TIMEOUT or the config key keychain-timeout to ${longerS}s`;
}

/** Returns the hints, after one that names a proxy for other programs. */
function connectionHints(
  { unusedProxy }: { readonly unusedProxy?: string | undefined },
  ...hints: readonly string[]
): readonly string[] {
  const proxy = `gwtoken does not use ${unusedProxy}; to use the proxy, set HTTPS_PROXY`;
  return unusedProxy === undefined ? hints : [proxy, ...hints];
}

/** Returns the first part of the hint to pass a CA: which CAs gwtoken has tried. */
function whereCaIsMissing(caFile: string | undefined, insteadOfSystem: readonly string[]): string {
  const replace = insteadOfSystem.length === 1 ? 'replaces' : 'replace';
  const tried = [
    ...(caFile === undefined ? [] : [`${caFile} does not contain this CA`]),
    ...(insteadOfSystem.length > 0 ? [`${insteadOfSystem.join(' and ')} ${replace} the system's CAs`] : []),
  ];
  return tried.length > 0 ? `${tried.join(', and ')}:` : 'behind a company proxy or private CA?';
}
