/** The keychain's errors: one row per reason, with the system's texts for it and our message. */
import type { KeychainReason } from '../../causes';
import { GwtokenError } from '../../errors';
import { cleaned } from '../../text';
import type { Failure } from './child';

interface Row {
  readonly message: string;
  /**
   * Matches texts of libsecret, glib (through GDBus with a prefix), macOS (SecCopyErrorMessageString) and
   * Windows (FormatMessage, in English). The first matching row counts.
   */
  readonly matches?: RegExp;
}

/** Rows in the order in which a call needs them: module, session, service, keyring, item. */
const ROWS = {
  'module-missing': { message: 'the keychain module keytar is not installed' },
  'library-missing': { message: 'the keychain needs libsecret-1.so.0, which is not installed' },
  'not-loadable': { message: 'the keychain module cannot be loaded on this system' },
  'no-session': {
    matches:
      /Could not connect|Failed to connect|Error connecting|connection is closed|logon session does not exist/,
    message: 'no keychain here: there is no desktop session (normal over ssh, in cron and containers)',
  },
  'no-provider': {
    matches: /not provided by any \.service files|ServiceUnknown|No keychain is available/,
    message: 'no keychain service is running in this session',
  },
  'no-collection': {
    matches: /Object does not exist at path|No such object path '\S*\/aliases\/|keychain could not be found/,
    message: 'the keychain has no default keyring',
  },
  sandboxed: {
    // A rule of the bus, and of AppArmor or SELinux.
    matches: /Rejected send message|policy prevents this sender/,
    message: 'this sandbox may not use the keychain',
  },
  locked: {
    matches: /locked collection|is ?locked|dismissed|interaction is (not allowed|required)|no UI possible/i,
    message: 'the keychain is locked',
  },
  denied: {
    matches: /cancell?ed|denied|passphrase you entered is not correct|entitlement/i,
    message: 'the keychain denied access',
  },
  'timed-out': {
    matches: /Timeout was reached|timed out/,
    message: 'the keychain did not answer',
  },
  crashed: { message: 'the keychain module crashed' },
  /** All sessions failed; see WRONG_KEY in ask.ts. */
  'key-mismatch': {
    matches: /public key size is invalid|Can't find session/,
    message: 'the keychain keeps failing to open a session',
  },
  /** Used if no row matches. */
  failed: { message: 'unexpected keychain error' },
} satisfies Readonly<Record<KeychainReason, Row>>;

/** Matches the loader's message of glibc and of musl. */
const NO_LIBSECRET = /libsecret\S*: (cannot open shared object|No such file)/;

/** Makes the error for a reason. @param raw the keychain's message, or how its process ended */
export function keychainError(reason: KeychainReason, raw?: string): GwtokenError {
  const { message } = ROWS[reason];
  const words = raw && cleaned(raw);
  const shown = reason === 'failed' ? `${message}: ${words}` : message;
  return new GwtokenError('keychain', shown, { reason }, { detail: words && `details: ${words}` });
}

export function failureError(failure: Failure): GwtokenError {
  return keychainError(reasonOf(failure), failure.message);
}

function reasonOf({ isLoaded, message, code }: Failure): KeychainReason {
  if (code === 'MODULE_NOT_FOUND') return 'module-missing';
  if (code === 'DENIED') return 'denied';
  if (!isLoaded) return NO_LIBSECRET.test(message) ? 'library-missing' : 'not-loadable';
  const rows = Object.entries(ROWS) as [KeychainReason, Row][];
  return rows.find(([, { matches }]) => matches?.test(message))?.[0] ?? 'failed';
}

/** Makes the error after the time limit. @param problem the keyring's problem, which explains the silence */
export function notAnswered(problem: KeychainReason | undefined, limitMs: number): GwtokenError {
  if (problem !== undefined) return keychainError(problem);
  return new GwtokenError('keychain', `the keychain did not answer within ${limitMs / 1000} s`, {
    reason: 'timed-out',
  });
}
