/** What a keychain's failure means: its texts told apart, each kind with its own sentence and what to do about it. */
import { GwtokenError } from '../../errors';
import type { KeychainReason } from '../../world/keychain';
import type { BusState } from './bus';
import type { Answer } from './child';

type Failure = Extract<Answer, { ok: false }>;

/**
 * The texts of libsecret and glib (also from GDBus with a prefix), of macOS (SecCopyErrorMessageString) and of Windows
 * (FormatMessage, in English). The first that fits counts.
 */
const TEXTS: readonly (readonly [RegExp, KeychainReason])[] = [
  [
    /locked collection|Collection \S+ is locked|IsLocked|dismissed|interaction is (not allowed|required)|no UI possible/i,
    'locked',
  ],
  [/not provided by any \.service files|ServiceUnknown|No keychain is available/, 'no-provider'],
  [
    /Object does not exist at path|default keychain could not be found|keychain could not be found/,
    'no-collection',
  ],
  [
    /autolaunch D-Bus|Could not connect|Error connecting|dbus-launch|Address element|address is empty|Error in address|machine-id/,
    'no-session',
  ],
  [/logon session does not exist|No such file or directory|connection is closed/, 'no-session'],
  // KWallet's: without that plugin it cannot even agree on a key for the transfer.
  [/libqca/, 'plugin-missing'],
  // KWallet's too, of a session whose key the two sides do not agree on.
  [/public key size is invalid|Can't find session/, 'key-mismatch'],
  [/Timeout was reached|timed out/i, 'timed-out'],
  [/stub received bad data|bad data/i, 'too-large'],
  [/cancell?ed|denied|not allowed|passphrase you entered is not correct|entitlement/i, 'denied'],
];

/** The error for a failure in the child, or for a reason found otherwise. `detail` is shown under --verbose alone. */
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
 * @param state what the bus said of the keyring meanwhile, if it said anything; `not-started`: the child has no module yet
 */
export function notAnswered(
  state: BusState | 'not-started' | undefined,
  limitMs: number,
  person: boolean,
  platform: NodeJS.Platform,
): GwtokenError {
  const within = `within ${limitMs / 1000} s`;
  const more = `or allow more time: gwtoken config set keychain-timeout ${2 * Math.ceil(limitMs / 1000)}s`;
  if (state === 'not-started') {
    return new GwtokenError('keychain', `the keychain module did not start ${within}`, {
      reason: 'not-started',
      hints: ['this user may be at a limit of the system: see ulimit -u and ulimit -v', more],
    });
  }
  if (state === 'locked') {
    return new GwtokenError('keychain', `the keychain is locked, and its dialog was not answered ${within}`, {
      reason: 'locked',
      hints: [unlock(platform), more],
    });
  }
  const reason = state === 'unlocked' ? 'silent' : 'timed-out';
  if (person) {
    return new GwtokenError(
      'keychain',
      `the keychain did not answer ${within}: it may have asked something in a dialog`,
      { reason, hints: ['answer its dialog, or unlock the keychain before', more] },
    );
  }
  return new GwtokenError('keychain', `the keychain did not answer ${within}`, {
    reason,
    hints: ['it may be asking something in a dialog on another screen, or be stuck: gwtoken doctor', more],
  });
}

function reasonOf({ stage, message, code }: Failure): KeychainReason {
  if (stage === 'load') return code === 'MODULE_NOT_FOUND' ? 'module-missing' : 'library-missing';
  if (stage === 'read back') return 'denied';
  return TEXTS.find(([text]) => text.test(message))?.[1] ?? 'failed';
}

const IN_VARIABLES = 'where there is no keychain, variables will do: gwtoken help keychain';

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
          'install gwtoken again (npm install -g) once the registry can be reached: npm leaves an optional package out without a word when it cannot, and with --omit=optional',
          IN_VARIABLES,
        ],
      };
    case 'library-missing':
      return notLoaded(platform, raw);
    case 'no-session':
      return {
        message:
          platform === 'win32'
            ? 'Windows gives this session no credential store'
            : 'there is no desktop session (D-Bus) here, so the keychain cannot be reached',
        hints: [
          platform === 'win32'
            ? 'over ssh, in services and scheduled tasks that is so'
            : 'in ssh, cron, sudo and containers that is so',
          IN_VARIABLES,
        ],
      };
    case 'no-provider':
      return platform === 'linux'
        ? {
            message: 'no program provides a keychain in this session',
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
            message: 'the keychain has no keyring to keep secrets in yet',
            hints: [
              'make a default keyring: log in to the desktop once, or use Passwords and Keys (seahorse)',
              IN_VARIABLES,
            ],
          }
        : {
            message: 'there is no default keychain',
            hints: ['make one: security default-keychain -s login.keychain-db', IN_VARIABLES],
          };
    case 'locked':
      return { message: 'the keychain is locked', hints: [unlock(platform), IN_VARIABLES] };
    case 'denied':
      return {
        message: 'the keychain denied access',
        hints: [
          platform === 'darwin'
            ? 'when macOS asks whether node may use the item, choose Always Allow'
            : 'try again and allow it in the dialog',
        ],
      };
    case 'not-started':
    case 'silent':
    case 'timed-out':
      return {
        message: "the keychain's service did not answer in time",
        hints: ['it may be stuck: restart it, or log in to the desktop anew'],
      };
    case 'too-large':
      return {
        message: 'the credentials are too large for the keychain',
        hints: ['it holds 2,560 bytes for an item', IN_VARIABLES],
      };
    case 'crashed':
      return {
        message: 'the keychain module crashed',
        hints: ['try again; if it stays so, install gwtoken again, and see: gwtoken doctor', IN_VARIABLES],
      };
    case 'key-mismatch':
    case 'failed':
      return {
        // Windows says it in the user's own language, in which its causes cannot be told apart.
        message:
          platform === 'win32'
            ? `the keychain failed, and Windows says: ${raw.trim().replace(/\.$/, '')}`
            : 'the keychain failed in a way that gwtoken does not know',
        hints: ['add --verbose to see what it said', 'see what works: gwtoken doctor'],
      };
  }
}

function unlock(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'unlock it: security unlock-keychain (over ssh it is locked until then)';
  if (platform === 'win32') return 'log in to Windows with the desktop, not over the network alone';
  return 'unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC';
}

/** The native part is there but does not load: what the loader said decides what to do. */
function notLoaded(platform: NodeJS.Platform, raw: string): { message: string; hints: string[] } {
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
  return {
    message:
      platform === 'linux'
        ? 'the keychain module does not run on this system (musl, or a processor it is not built for)'
        : 'the keychain module does not run on this system',
    hints: ['add --verbose to see what the loader said', IN_VARIABLES],
  };
}
