/** Keychain failures: recognized by their text, and described with a hint for each kind. */
import { GwtokenError } from '../../errors';
import { longerTimeout } from '../../waiting';
import type { KeychainReason } from '../../world';
import type { BusState } from './bus';
import type { Answer } from './child';

type Failure = Extract<Answer, { ok: false }>;

/**
 * The texts of libsecret, glib (also by GDBus, with a prefix), macOS (SecCopyErrorMessageString) and Windows
 * (FormatMessage, in English). The first match counts.
 */
const TEXTS: readonly (readonly [KeychainReason, RegExp])[] = [
  ['locked', /locked collection|Collection \S+ is locked|IsLocked|dismissed/i],
  ['locked', /interaction is (not allowed|required)|no UI possible/i],
  ['no-provider', /not provided by any \.service files|ServiceUnknown|No keychain is available/],
  [
    'no-collection',
    /Object does not exist at path|No such object path '\S*\/aliases\/|keychain could not be found/,
  ],
  ['no-session', /autolaunch D-Bus|Could not connect|Error connecting|dbus-launch|connection is closed/],
  ['no-session', /Address element|address is empty|Error in address|machine-id|No such file or directory/],
  ['no-session', /logon session does not exist/],
  ['key-mismatch', /public key size is invalid|Can't find session/],
  ['timed-out', /Timeout was reached|timed out/],
  ['denied', /cancell?ed|denied|passphrase you entered is not correct|entitlement/i],
];

/** Makes the error for a child's failure, or another reason. `detail` is shown only with --verbose. */
export function keychainError(
  failure: Failure | KeychainReason,
  platform: NodeJS.Platform,
  detail?: string,
): GwtokenError {
  const reason = typeof failure === 'string' ? failure : reasonOf(failure);
  const raw = typeof failure === 'string' ? detail : (failure.cause ?? failure.message);
  const [message, ...hints] = sentence(reason, platform, raw ?? '');
  hints.push(WITHOUT_KEYCHAIN);
  return new GwtokenError('keychain', message, { reason, hints, detail: raw && `the keychain said: ${raw}` });
}

const WITHOUT_KEYCHAIN = 'without a keychain, use environment variables: gwtoken help keychain';

/** Makes the error for a session bus that another user may have taken over. */
export function busNotTrusted(socket: string, problem: string): GwtokenError {
  return new GwtokenError('keychain', `no keychain here: the session bus at ${socket} ${problem}`, {
    reason: 'no-session',
    hints: [
      'DBUS_SESSION_BUS_ADDRESS names another session than yours: unset it, or log in again',
      WITHOUT_KEYCHAIN,
    ],
  });
}

function reasonOf({ stage, message, code }: Failure): KeychainReason {
  if (code === 'NO_KEYTAR') return 'not-built-in';
  if (stage === 'load') return code === 'MODULE_NOT_FOUND' ? 'module-missing' : 'library-missing';
  if (stage === 'read back') return 'denied';
  return TEXTS.find(([, text]) => text.test(message))?.[0] ?? 'failed';
}

/**
 * Makes the error for a limit that has passed.
 *
 * @param state the keyring's, if the bus knows it; `not-started`: the child has not loaded the module yet
 */
export function notAnswered(
  state: BusState | 'not-started' | undefined,
  limitMs: number,
  person: boolean,
  platform: NodeJS.Platform,
): GwtokenError {
  const limit = `${limitMs / 1000} s`;
  const late = (reason: KeychainReason, message: string, ...hints: string[]): GwtokenError => {
    const longer = `to wait longer, run: gwtoken config set keychain-timeout ${longerTimeout(limitMs)}`;
    return new GwtokenError('keychain', message, { reason, hints: [...hints, longer] });
  };
  switch (state) {
    case 'not-started':
      return late('not-started', `the keychain module did not start within ${limit}`);
    case 'locked':
      return late('locked', `the keychain is still locked after ${limit}`, unlock(platform));
    case 'no-collection':
      return late('no-collection', `the keychain still has no default keyring after ${limit}`, ...NO_KEYRING);
    default:
      return late(
        'timed-out',
        `the keychain did not answer within ${limit}${person ? ' (was a dialog open?)' : ''}`,
        person
          ? 'answer the dialog, or unlock the keychain first'
          : 'a dialog may be open on another screen, or it is stuck',
      );
  }
}

/** KeePassXC has no default keyring while no database is open, or if those that are open expose nothing. */
const NO_KEYRING = [
  'create one: log in to the desktop once, or use Passwords and Keys (seahorse)',
  'in KeePassXC, open a database that exposes a group to the Secret Service',
];

/** Returns the message for a reason, and its hints. */
function sentence(
  reason: KeychainReason,
  platform: NodeJS.Platform,
  raw: string,
): [message: string, ...hints: string[]] {
  switch (reason) {
    case 'module-missing':
      return [
        'the keychain module keytar is not installed',
        'reinstall gwtoken (npm install -g) without --omit=optional, once the registry can be reached: ' +
          'when npm cannot reach it, it leaves keytar out without a message',
      ];
    case 'not-built-in':
      return [
        'this executable has no keychain module: there is none for Linux on arm64 with musl',
        'use environment variables, or a credential-command: gwtoken help ci',
      ];
    case 'library-missing': {
      const library = /(lib[\w.+-]+\.so[.\d]*): (?:cannot open shared object|No such file)/.exec(raw)?.[1];
      const isForbidden = /failed to map segment|not permitted/.test(raw);
      return library === undefined
        ? [
            'the keychain module cannot be loaded on this system',
            isForbidden
              ? 'the directory for temporary files is mounted noexec: set TMPDIR to another one'
              : 'for details, add --verbose',
          ]
        : [
            `the keychain needs ${library}, which is not installed`,
            'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; ' +
              'Arch: pacman -S libsecret; Alpine: apk add libsecret',
          ];
    }
    case 'no-session':
      return platform === 'win32'
        ? [
            'Credential Manager is not available in this session ' +
              '(normal over ssh, in services and scheduled tasks)',
          ]
        : ['no keychain here: there is no desktop session (normal over ssh, in cron and containers)'];
    case 'no-provider':
      return [
        'no keychain service is running in this session',
        ...(platform === 'linux' ? ['install and start gnome-keyring, KWallet or KeePassXC'] : []),
      ];
    case 'no-collection':
      return platform === 'linux'
        ? ['the keychain has no default keyring', ...NO_KEYRING]
        : ['there is no default keychain', 'set one: security default-keychain -s login.keychain-db'];
    case 'locked':
      return ['the keychain is locked', unlock(platform)];
    case 'hidden':
      return ['no such item in the open keyring, but another keyring is locked', unlock(platform)];
    case 'denied':
      return [
        'the keychain denied access',
        platform === 'darwin'
          ? 'when macOS asks whether node may use the item, choose Always Allow'
          : 'try again, and allow access in the dialog',
      ];
    case 'not-started':
    case 'timed-out':
      return ['the keychain service timed out', 'it may be stuck: restart it, or log out and in again'];
    case 'crashed':
      return ['the keychain module crashed', 'try again; if it keeps crashing, reinstall gwtoken'];
    case 'key-mismatch':
    case 'failed':
      return [
        // Windows words it in the user's language, so its causes cannot be told apart.
        `unexpected keychain error${platform === 'win32' ? `: ${raw.trim().replace(/\.$/, '')}` : ''}`,
        'for details, add --verbose',
      ];
  }
}

function unlock(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'unlock it (needed once per ssh session): security unlock-keychain';
  if (platform === 'win32') return 'log in to Windows on the desktop, not only over the network';
  const programs = 'Passwords and Keys (seahorse), KWalletManager or KeePassXC';
  return `unlock it: log in to the desktop, or open ${programs}`;
}
