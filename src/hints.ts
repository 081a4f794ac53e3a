/**
 * The next steps after an error: one row for each reason, best hint first. Two hints are shown. No other file
 * says "run:", "set", "check" or "did you mean"; only cli/usage-error.ts does, for a mistyped command line.
 */
import type { Cause, Reason } from './causes';
import { profileFlag } from './client';
import type { GwtokenError } from './errors';
import { LONGEST_LIMIT_MS } from './waiting';
import type { World } from './world';

/** The most hints that an error shows. */
const MOST_HINTS = 2;

/** The facts of the run, which hints need beside those of the error. */
type Run = Pick<World, 'platform'>;

/** The cause with this reason. */
type CauseOf<R, C = Cause> = C extends { readonly reason: infer Own } ? (R extends Own ? C : never) : never;
type Row<R extends Reason> = (facts: CauseOf<R>, run: Run) => readonly string[];
type Rows = { readonly [R in Reason]?: Row<R> };

const UNLOCK = {
  linux:
    'unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC',
  darwin: 'unlock it (needed once per ssh session): security unlock-keychain',
  win32: 'log in to Windows on the desktop, not only over the network',
};

/** Returns the hint that suggests twice the `keychain-timeout`. */
function waitLonger(limitMs: number): string {
  const longerS = Math.min(2 * Math.ceil(limitMs / 1000), LONGEST_LIMIT_MS / 1000);
  return `to wait longer, set GWTOKEN_KEYCHAIN_TIMEOUT or the config key keychain-timeout to ${longerS}s`;
}

const ASK_OPERATORS = 'contact the operator of the endpoint or of your proxy';
const NO_CLIENT_CERTIFICATE = 'the server may require a client certificate, which gwtoken does not have';

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

const ROWS: Rows = {
  // Settings, flags and formats
  'bad-value': ({ allowed }) => [`use ${allowed}`],
  'not-a-url': ({ example, meant }) => [
    meant === undefined ? `example: ${example}` : `did you mean: ${meant}`,
  ],
  'url-query': ({ example }) => [`use only the base URL, for example ${example}`],
  'url-unencrypted': ({ secure }) => [`use ${secure}`],
  'url-placeholder': () => ['the only placeholder is {region}'],
  'url-user': () => ['remove it; gwtoken login stores credentials in the keychain'],
  'flags-conflict': () => ['omit one of them'],
  'no-unset-format': () => ['delete the file or the lines in it'],
  'unfit-format': ({ instead }) => (instead === '' ? [] : [`use instead: ${instead}`]),

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
  'stdout-failed': () => ['free some disk space, or write elsewhere'],
  'lock-held': () => ['stop that process and try again'],
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

/** Returns the hints of an error, best first: each is the next command or variable to type. */
export function hintsFor(
  { hints, cause }: Pick<GwtokenError, 'hints' | 'cause'>,
  run: Run,
): readonly string[] {
  const row = cause && (ROWS[cause.reason] as Row<Reason> | undefined);
  return [...(row?.(cause!, run) ?? []), ...hints].slice(0, MOST_HINTS);
}
