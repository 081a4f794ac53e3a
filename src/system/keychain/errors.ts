/** Keychain failures: a row for each reason, with the systems' texts that mean it, and what to do. */
import { GwtokenError } from '../../errors';
import { foreign } from '../../text';
import { longerTimeout } from '../../waiting';
import type { KeychainReason } from '../../world';
import type { Failure } from './child';
import type { KeyringState } from './keyring-state';

interface Words {
  readonly text: string;
  readonly hint?: string;
}

/** What gwtoken says, and what it says in other words on macOS or Windows. */
interface Row extends Words {
  /**
   * The texts of libsecret, glib (also by GDBus, with a prefix), macOS (SecCopyErrorMessageString)
   * and Windows (FormatMessage, in English). The first row that matches counts.
   */
  readonly texts?: RegExp;
  readonly darwin?: Partial<Words>;
  readonly win32?: Partial<Words>;
}

const ROWS: Readonly<Record<KeychainReason, Row>> = {
  'module-missing': {
    text: 'the keychain module keytar is not installed',
    hint: 'reinstall gwtoken without --omit=optional; npm leaves keytar out silently if it cannot fetch it',
  },
  'library-missing': {
    text: 'the keychain needs libsecret-1.so.0, which is not installed',
    hint:
      'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; ' +
      'Arch: pacman -S libsecret; Alpine: apk add libsecret',
  },
  'not-loadable': {
    text: 'the keychain module cannot be loaded on this system',
    hint: 'for details, add --verbose; if TMPDIR is mounted noexec, set it to another directory',
  },
  'no-session': {
    texts: /Could not connect|Error connecting|connection is closed|logon session does not exist/,
    text: 'no keychain here: there is no desktop session (normal over ssh, in cron and containers)',
    win32: {
      text: 'Credential Manager is not available in this session (normal over ssh, in services and scheduled tasks)',
    },
  },
  'no-provider': {
    texts: /not provided by any \.service files|ServiceUnknown|No keychain is available/,
    text: 'no keychain service is running in this session',
    hint: 'install and start gnome-keyring, KWallet or KeePassXC',
    darwin: { hint: 'log in to the desktop' },
  },
  'no-collection': {
    texts: /Object does not exist at path|No such object path '\S*\/aliases\/|keychain could not be found/,
    text: 'the keychain has no default keyring',
    hint: 'log in to the desktop once, or open a KeePassXC database that exposes a group to the Secret Service',
    darwin: {
      text: 'there is no default keychain',
      hint: 'set one: security default-keychain -s login.keychain-db',
    },
  },
  locked: {
    texts:
      /locked collection|Collection \S+ is locked|IsLocked|dismissed|interaction is (not allowed|required)|no UI possible/i,
    text: 'the keychain is locked',
    hint: 'unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC',
    darwin: { hint: 'unlock it (needed once per ssh session): security unlock-keychain' },
    win32: { hint: 'log in to Windows on the desktop, not only over the network' },
  },
  denied: {
    texts: /cancell?ed|denied|passphrase you entered is not correct|entitlement/i,
    text: 'the keychain denied access',
    hint: 'try again, and allow access in the dialog',
    darwin: { hint: 'when macOS asks whether node may use the item, choose Always Allow' },
  },
  'timed-out': {
    texts: /Timeout was reached|timed out/,
    text: 'the keychain did not answer',
    hint: 'answer its dialog, or restart it if it is stuck',
  },
  crashed: {
    text: 'the keychain module crashed',
    hint: 'try again; if it keeps crashing, reinstall gwtoken',
  },
  'key-mismatch': {
    texts: /public key size is invalid|Can't find session/,
    text: 'the keychain and its module agreed on no key twice in a row',
    hint: 'try again',
  },
  failed: { text: 'unexpected keychain error' },
};

/** The loaders' texts of glibc and musl. */
const NO_LIBSECRET = /libsecret\S*: (cannot open shared object|No such file)/;

/** Makes the error for a reason. @param raw the keychain's own words, or why its process ended */
export function keychainError(reason: KeychainReason, platform: NodeJS.Platform, raw?: string): GwtokenError {
  const { text, hint } = wordsFor(reason, platform);
  const said = raw && foreign(raw).slice(0, 200);
  return new GwtokenError('keychain', reason === 'failed' ? `${text}: ${said}` : text, {
    reason,
    hints: hint === undefined ? [] : [hint],
    detail: said && `the keychain said: ${said}`,
  });
}

/** Makes the error for what the child could not do. */
export function failureError(failure: Failure, platform: NodeJS.Platform): GwtokenError {
  return keychainError(reasonOf(failure), platform, failure.message);
}

function reasonOf({ isLoaded, message, code }: Failure): KeychainReason {
  if (code === 'MODULE_NOT_FOUND') return 'module-missing';
  if (!isLoaded) return NO_LIBSECRET.test(message) ? 'library-missing' : 'not-loadable';
  const reasons = Object.keys(ROWS) as KeychainReason[];
  return reasons.find((reason) => ROWS[reason].texts?.test(message)) ?? 'failed';
}

function wordsFor(reason: KeychainReason, platform: NodeJS.Platform): Words {
  const row = ROWS[reason];
  return platform === 'darwin' || platform === 'win32' ? { ...row, ...row[platform] } : row;
}

/** Makes the error for a limit that has passed. @param state the keyring's, if the bus knows it */
export function notAnswered(
  state: KeyringState | undefined,
  limitMs: number,
  platform: NodeJS.Platform,
): GwtokenError {
  const reason = state === 'locked' ? 'locked' : state === 'none' ? 'no-collection' : 'timed-out';
  const ends = {
    locked: 'is still locked after',
    'no-collection': 'still has no default keyring after',
    'timed-out': 'did not answer within',
  };
  const { hint = '' } = wordsFor(reason, platform);
  const longer = `to wait longer, run: gwtoken config set keychain-timeout ${longerTimeout(limitMs)}`;
  const message = `the keychain ${ends[reason]} ${limitMs / 1000} s`;
  return new GwtokenError('keychain', message, { reason, hints: [reason === 'timed-out' ? longer : hint] });
}
