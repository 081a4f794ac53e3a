/** The keychain's errors: one row per fault, with the system's texts for it, our message and a hint. */
import { GwtokenError, type Reason } from '../../errors';
import { ANSWER_ITS_DIALOG } from '../../surroundings';
import { cleaned } from '../../text';
import type { Failure } from './child';

interface Row {
  /** Absent if no code asks for it. */
  readonly reason?: Reason;
  readonly message: string;
  /**
   * Matches texts of libsecret, glib (through GDBus with a prefix), macOS (SecCopyErrorMessageString) and
   * Windows (FormatMessage, in English). The first matching row counts.
   */
  readonly matches?: RegExp;
  readonly hint?: string;
  /** The hint on macOS or Windows, if it differs. */
  readonly darwin?: string;
  readonly win32?: string;
}

/** Rows in the order in which a call needs them: module, session, service, keyring, item. */
const ROWS = {
  'module-missing': {
    reason: 'no-keychain',
    message: 'the keychain module keytar is not installed',
    hint: 'reinstall gwtoken without --omit=optional; npm skips what it cannot fetch',
  },
  'library-missing': {
    reason: 'no-keychain',
    message: 'the keychain needs libsecret-1.so.0, which is not installed',
    hint: 'install libsecret (Debian, Ubuntu: apt-get install libsecret-1-0)',
  },
  'not-loadable': {
    reason: 'no-keychain',
    message: 'the keychain module cannot be loaded on this system',
    hint: 'for details, add --verbose; if TMPDIR is noexec or full, set another one',
  },
  'no-session': {
    reason: 'no-keychain',
    matches:
      /Could not connect|Failed to connect|Error connecting|connection is closed|logon session does not exist/,
    message: 'no keychain here: there is no desktop session (normal over ssh, in cron and containers)',
  },
  'no-provider': {
    reason: 'no-keychain',
    matches: /not provided by any \.service files|ServiceUnknown|No keychain is available/,
    message: 'no keychain service is running in this session',
    hint: 'install and start gnome-keyring, KWallet or KeePassXC',
    darwin: 'log in to the desktop',
  },
  'no-collection': {
    matches: /Object does not exist at path|No such object path '\S*\/aliases\/|keychain could not be found/,
    message: 'the keychain has no default keyring',
    hint: 'log in to the desktop once, or expose a group of a KeePassXC database',
    darwin: 'set one: security default-keychain -s login.keychain-db',
  },
  locked: {
    matches: /locked collection|is ?locked|dismissed|interaction is (not allowed|required)|no UI possible/i,
    message: 'the keychain is locked',
    hint: 'unlock it: log in to the desktop, or in seahorse, KWallet or KeePassXC',
    darwin: 'unlock it (needed once per ssh session): security unlock-keychain',
    win32: 'log in to Windows on the desktop, not only over the network',
  },
  denied: {
    reason: 'denied',
    matches: /cancell?ed|denied|Rejected send message|passphrase you entered is not correct|entitlement/i,
    message: 'the keychain denied access',
    hint: 'try again, and allow access in the dialog',
    darwin: 'when macOS asks whether node may use the item, choose Always Allow',
  },
  'timed-out': {
    reason: 'timed-out',
    matches: /Timeout was reached|timed out/,
    message: 'the keychain did not answer',
    hint: ANSWER_ITS_DIALOG,
  },
  crashed: {
    message: 'the keychain module crashed',
    hint: 'try again; if it keeps crashing, reinstall gwtoken',
  },
  /** All sessions failed; see askInSessions() in ask.ts. */
  'key-mismatch': {
    reason: 'key-mismatch',
    matches: /public key size is invalid|Can't find session/,
    message: 'the keychain keeps failing to open a session',
    hint: 'try again',
  },
  /** Used if no row matches. */
  failed: { message: 'unexpected keychain error' },
} satisfies Readonly<Record<string, Row>>;

type Fault = keyof typeof ROWS;

/** Matches the loader's message of glibc and of musl. */
const NO_LIBSECRET = /libsecret\S*: (cannot open shared object|No such file)/;

/** Makes the error for a fault. @param raw the keychain's message, or how its process ended */
export function keychainError(fault: Fault, raw?: string): GwtokenError {
  const { message, reason, hint }: Row = ROWS[fault];
  const words = raw && cleaned(raw);
  const shown = fault === 'failed' ? `${message}: ${words}` : message;
  const detail = words && `details: ${words}`;
  return new GwtokenError('keychain', shown, hint === undefined ? [] : [hint], { reason, detail });
}

/** Makes the error for a failure of keytar or the bus, with the platform's own hint if there is one. */
export function failureError(failure: Failure, platform: NodeJS.Platform): GwtokenError {
  const fault = faultOf(failure);
  const error = keychainError(fault, failure.message);
  const row: Row = ROWS[fault];
  const hint = platform === 'darwin' || platform === 'win32' ? row[platform] : undefined;
  return hint === undefined ? error : error.with({ hints: [hint] });
}

function faultOf({ isLoaded, message, code }: Failure): Fault {
  if (code === 'MODULE_NOT_FOUND') return 'module-missing';
  if (code === 'DENIED') return 'denied';
  if (!isLoaded) return NO_LIBSECRET.test(message) ? 'library-missing' : 'not-loadable';
  const rows = Object.entries(ROWS) as [Fault, Row][];
  return rows.find(([, { matches }]) => matches?.test(message))?.[0] ?? 'failed';
}

/** Makes the error after the time limit. @param problem the keyring's problem, which explains the silence */
export function notAnswered(problem: Fault | undefined, limitMs: number): GwtokenError {
  if (problem !== undefined) return keychainError(problem);
  const message = `the keychain did not answer within ${limitMs / 1000} s`;
  return keychainError('timed-out').with({ message });
}
