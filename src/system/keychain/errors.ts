/** What a keychain failure means: recognizes its text, and says for each kind what happened and what to do. */
import { GwtokenError } from '../../errors';
import { type KeychainReason, longerTimeout } from '../../world';
import type { BusState } from './bus';
import type { Answer } from './child';

type Failure = Extract<Answer, { ok: false }>;

/**
 * The texts of libsecret and glib (also from GDBus with a prefix), of macOS (SecCopyErrorMessageString) and of Windows
 * (FormatMessage, in English). The first match counts.
 */
const TEXTS: readonly (readonly [RegExp, KeychainReason])[] = [
  [
    /locked collection|Collection \S+ is locked|IsLocked|dismissed|interaction is (not allowed|required)|no UI possible/i,
    'locked',
  ],
  [/not provided by any \.service files|ServiceUnknown|No keychain is available/, 'no-provider'],
  [
    /Object does not exist at path|No such object path '\S*\/aliases\/|keychain could not be found/,
    'no-collection',
  ],
  [
    /autolaunch D-Bus|Could not connect|Error connecting|dbus-launch|Address element|address is empty|Error in address|machine-id/,
    'no-session',
  ],
  [/logon session does not exist|No such file or directory|connection is closed/, 'no-session'],
  // KWallet: without that plugin it cannot even agree on a key for the transfer.
  [/libqca/, 'plugin-missing'],
  // KWallet, too: the two sides do not agree on the session's key.
  [/public key size is invalid|Can't find session/, 'key-mismatch'],
  [/Timeout was reached|timed out/, 'timed-out'],
  [/stub received bad data/, 'too-large'],
  [/cancell?ed|denied|passphrase you entered is not correct|entitlement/i, 'denied'],
];

/** The error for a failure in the child, or for a reason found otherwise. `detail` is shown only with --verbose. */
export function keychainError(
  failure: Failure | KeychainReason,
  platform: NodeJS.Platform,
  detail?: string,
): GwtokenError {
  const reason = typeof failure === 'string' ? failure : reasonOf(failure);
  const raw = typeof failure === 'string' ? detail : (failure.cause ?? failure.message);
  const { message, hints } = sentence(reason, platform, raw ?? '');
  return new GwtokenError('keychain', message, { reason, hints, detail: raw && `the keychain said: ${raw}` });
}

/** Whether a session with the keychain failed over its key, so that a new one may not. */
export function isKeyMismatch(error: unknown): boolean {
  return error instanceof GwtokenError && error.reason === ('key-mismatch' satisfies KeychainReason);
}

/**
 * The limit has passed.
 *
 * @param state what the bus says about the keyring, if anything; `not-started`: the child has not loaded the module yet
 */
export function notAnswered(
  state: BusState | 'not-started' | undefined,
  limitMs: number,
  person: boolean,
  platform: NodeJS.Platform,
): GwtokenError {
  const within = `within ${limitMs / 1000} s`;
  const more = `to wait longer, run: gwtoken config set keychain-timeout ${longerTimeout(limitMs)}`;
  if (state === 'not-started') {
    return new GwtokenError('keychain', `the keychain module did not start ${within}`, {
      reason: 'not-started',
      hints: [...systemLimit(platform), more],
    });
  }
  if (state === 'locked') {
    return new GwtokenError('keychain', `the keychain is still locked after ${limitMs / 1000} s`, {
      reason: 'locked',
      hints: [unlock(platform), more],
    });
  }
  if (state === 'no-collection') {
    const after = `after ${limitMs / 1000} s`;
    return new GwtokenError('keychain', `the keychain still has no default keyring ${after}`, {
      reason: 'no-collection',
      hints: [...NO_KEYRING, more],
    });
  }
  const reason = state === 'unlocked' ? 'silent' : 'timed-out';
  if (person) {
    return new GwtokenError('keychain', `the keychain did not answer ${within} (was a dialog open?)`, {
      reason,
      hints: ['answer the dialog, or unlock the keychain first', more],
    });
  }
  return new GwtokenError('keychain', `the keychain did not answer ${within}`, {
    reason,
    hints: ['a dialog may be open on another screen, or it is stuck; run: gwtoken doctor', more],
  });
}

function reasonOf({ stage, message, code }: Failure): KeychainReason {
  if (stage === 'load') return code === 'MODULE_NOT_FOUND' ? 'module-missing' : 'library-missing';
  if (stage === 'read back') return 'denied';
  return TEXTS.find(([text]) => text.test(message))?.[1] ?? 'failed';
}

const IN_VARIABLES = 'without a keychain, use environment variables: gwtoken help keychain';

/** For a child that runs, but comes to nothing. Windows has no such limits. */
export function systemLimit(platform: NodeJS.Platform): string[] {
  return platform === 'win32' ? [] : ['you may have reached a system limit: check ulimit -u and ulimit -v'];
}

/** KeePassXC has none while no database is open, or while those that are open show it nothing. */
const NO_KEYRING = [
  'create one: log in to the desktop once, or use Passwords and Keys (seahorse)',
  'in KeePassXC, open a database that exposes a group to the Secret Service',
];

function sentence(
  reason: KeychainReason,
  platform: NodeJS.Platform,
  raw: string,
): { message: string; hints: string[] } {
  switch (reason) {
    case 'module-missing':
      return {
        message: 'the keychain module keytar is not installed',
        hints: [
          'reinstall gwtoken (npm install -g) without --omit=optional, once the registry can be reached: when npm cannot reach it, it leaves keytar out without a message',
          IN_VARIABLES,
        ],
      };
    case 'library-missing':
      return notLoaded(platform, raw);
    case 'no-session':
      return {
        message:
          platform === 'win32'
            ? 'Credential Manager is not available in this session'
            : 'no keychain here: there is no desktop session (D-Bus)',
        hints: [
          platform === 'win32'
            ? 'this is normal over ssh, in services and in scheduled tasks'
            : 'this is normal over ssh, under cron or sudo, and in containers',
          IN_VARIABLES,
        ],
      };
    case 'no-provider':
      return platform === 'linux'
        ? {
            message: 'no keychain service is running in this session',
            hints: ['install and start gnome-keyring, KWallet or KeePassXC', IN_VARIABLES],
          }
        : { message: 'there is no keychain in this session', hints: [IN_VARIABLES] };
    case 'plugin-missing':
      return {
        message: 'KWallet has no encryption plugin (libqca-ossl)',
        hints: ['Debian, Ubuntu: apt-get install libqca-qt5-2-plugins, then log in again', IN_VARIABLES],
      };
    case 'no-collection':
      return platform === 'linux'
        ? {
            message: 'the keychain has no default keyring',
            hints: [...NO_KEYRING, IN_VARIABLES],
          }
        : {
            message: 'there is no default keychain',
            hints: ['set one: security default-keychain -s login.keychain-db', IN_VARIABLES],
          };
    case 'locked':
      return { message: 'the keychain is locked', hints: [unlock(platform), IN_VARIABLES] };
    case 'hidden':
      return {
        message: 'no such item in the open keyring, but another keyring is locked',
        hints: [unlock(platform), IN_VARIABLES],
      };
    case 'denied':
      return {
        message: 'the keychain denied access',
        hints: [
          platform === 'darwin'
            ? 'when macOS asks whether node may use the item, choose Always Allow'
            : 'try again, and allow access in the dialog',
        ],
      };
    case 'not-started':
    case 'silent':
    case 'timed-out':
      return {
        message: 'the keychain service timed out',
        hints: ['it may be stuck: restart it, or log out and in again'],
      };
    case 'too-large':
      return {
        message: 'the credentials are too large for the keychain',
        hints: ['the limit is 2,560 bytes per item', IN_VARIABLES],
      };
    case 'crashed':
      return {
        message: 'the keychain module crashed',
        hints: ['try again; if it keeps crashing, reinstall gwtoken and run: gwtoken doctor', IN_VARIABLES],
      };
    case 'key-mismatch':
    case 'failed':
      return {
        // Windows words it in the user's language, so its causes cannot be told apart.
        message:
          platform === 'win32'
            ? `unexpected keychain error: ${raw.trim().replace(/\.$/, '')}`
            : 'unexpected keychain error',
        hints: ['for details, add --verbose', 'to diagnose, run: gwtoken doctor'],
      };
  }
}

function unlock(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'unlock it (needed once per ssh session): security unlock-keychain';
  if (platform === 'win32') return 'log in to Windows on the desktop, not only over the network';
  return 'unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC';
}

/** The native part is there but does not load: the loader's message tells what to do. */
function notLoaded(platform: NodeJS.Platform, raw: string): { message: string; hints: string[] } {
  if (raw.includes('$bunfs')) {
    return {
      message: 'cannot unpack the keychain module into the temporary directory',
      hints: ['set TMPDIR to a directory that you can write to', IN_VARIABLES],
    };
  }
  const library = /(lib[\w.+-]+\.so[.\d]*): cannot open shared object/.exec(raw)?.[1];
  if (library !== undefined) {
    return {
      message: `the keychain needs ${library}, which is not installed`,
      hints: [
        'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; Arch: pacman -S libsecret',
        IN_VARIABLES,
      ],
    };
  }
  const notExecutable = /^(.*)\/(\S+\.node): failed to map segment/.exec(raw);
  if (notExecutable) {
    const [, directory, name = ''] = notExecutable;
    return {
      message: `the keychain module cannot be loaded from ${directory}: programs must not run there (noexec)`,
      hints: [
        // Bun unpacks it under a name of its own.
        name.startsWith('.bun-')
          ? 'set TMPDIR to a directory on a file system without noexec'
          : 'install gwtoken on a file system without noexec',
        IN_VARIABLES,
      ],
    };
  }
  return {
    message:
      platform === 'linux'
        ? 'the keychain module does not support this system (musl libc or CPU)'
        : 'the keychain module does not support this system',
    hints: ['for details, add --verbose', IN_VARIABLES],
  };
}
