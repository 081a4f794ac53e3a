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

type Row<R extends Reason> = (facts: Extract<Cause, { readonly reason: R }>, run: Run) => readonly string[];
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
