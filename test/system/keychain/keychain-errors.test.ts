/** Each keychain failure's sentence, and what its text means; those of macOS and Windows are keytar's. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { keychainError, notAnswered } from '../../../src/system/keychain/errors';
import type { KeychainReason } from '../../../src/world';

/** Compares a table of headed errors with what each of its headings gets. */
function expectTable(table: string, errorOf: (heading: string) => GwtokenError): void {
  const headings = [...table.matchAll(/^(\S.*?): /gm)].map(([, heading]) => heading!);
  const shown = headings.map((heading) => {
    const { message, hints } = errorOf(heading);
    return `${heading}: ${[message, ...hints].join('\n  ')}`;
  });
  expect(shown.join('\n')).toBe(table.trim());
}

test('keychainError says for each reason what happened and what to do', () => {
  const table = `
linux no-session: no keychain here: there is no desktop session (normal over ssh, in cron and containers)
win32 no-session: Credential Manager is not available in this session (normal over ssh, in services and scheduled tasks)
linux no-provider: no keychain service is running in this session
  install and start gnome-keyring, KWallet or KeePassXC
darwin no-provider: no keychain service is running in this session
linux no-collection: the keychain has no default keyring
  create one: log in to the desktop once, or use Passwords and Keys (seahorse)
  in KeePassXC, open a database that exposes a group to the Secret Service
darwin no-collection: there is no default keychain
  set one: security default-keychain -s login.keychain-db
linux locked: the keychain is locked
  unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC
darwin locked: the keychain is locked
  unlock it (needed once per ssh session): security unlock-keychain
win32 locked: the keychain is locked
  log in to Windows on the desktop, not only over the network
linux hidden: no such item in the open keyring, but another keyring is locked
  unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC
linux denied: the keychain denied access
  try again, and allow access in the dialog
darwin denied: the keychain denied access
  when macOS asks whether node may use the item, choose Always Allow
linux timed-out: the keychain service timed out
  it may be stuck: restart it, or log out and in again
linux crashed: the keychain module crashed
  try again; if it keeps crashing, reinstall gwtoken
linux module-missing: the keychain module keytar is not installed
  reinstall gwtoken (npm install -g) without --omit=optional, once the registry can be reached: when npm cannot reach it, it leaves keytar out without a message
linux failed: unexpected keychain error
  for details, add --verbose
`;
  expectTable(table, (heading) => {
    const [platform, reason] = heading.split(' ') as [NodeJS.Platform, KeychainReason];
    const error = keychainError(reason, platform);
    expect(error).toMatchObject({ kind: 'keychain', reason });
    const { message, hints } = error;
    expect(hints.at(-1)).toBe('without a keychain, use environment variables: gwtoken help keychain');
    return new GwtokenError('keychain', message, { hints: hints.slice(0, -1) });
  });
});

test.each([
  [
    'libsecret-1.so.0: cannot open shared object file',
    'the keychain needs libsecret-1.so.0, which is not installed',
    'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; Arch: pacman -S libsecret; Alpine: apk add libsecret',
  ],
  [
    'Error loading shared library libsecret-1.so.0: No such file or directory (needed by keytar.node)',
    'the keychain needs libsecret-1.so.0, which is not installed',
    'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; Arch: pacman -S libsecret; Alpine: apk add libsecret',
  ],
  ['wrong ELF class', 'the keychain module cannot be loaded on this system', 'for details, add --verbose'],
])('keychainError names the library that a module needs, if the loader does: %s', (cause, message, hint) => {
  const failure = { ok: false, stage: 'load', message: 'keytar drops it', cause } as const;
  expect(keychainError(failure, 'linux')).toMatchObject({
    reason: 'library-missing',
    message,
    hints: [hint, expect.any(String)],
    detail: `the keychain said: ${cause}`,
  });
});

test('notAnswered says what the keychain waits for, and how to wait longer', () => {
  const table = `
not-started: the keychain module did not start within 2.5 s
  to wait longer, run: gwtoken config set keychain-timeout 6s
locked: the keychain is still locked after 2.5 s
  unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC
  to wait longer, run: gwtoken config set keychain-timeout 6s
no-collection: the keychain still has no default keyring after 2.5 s
  create one: log in to the desktop once, or use Passwords and Keys (seahorse)
  in KeePassXC, open a database that exposes a group to the Secret Service
  to wait longer, run: gwtoken config set keychain-timeout 6s
unlocked: the keychain did not answer within 2.5 s (was a dialog open?)
  answer the dialog, or unlock the keychain first
  to wait longer, run: gwtoken config set keychain-timeout 6s
unknown: the keychain did not answer within 2.5 s
  a dialog may be open on another screen, or it is stuck
  to wait longer, run: gwtoken config set keychain-timeout 6s
`;
  expectTable(table, (state) => {
    const seen = state as Parameters<typeof notAnswered>[0];
    const error = notAnswered(seen, 2500, state !== 'unknown', 'linux');
    const reason = state.startsWith('un') ? 'timed-out' : state;
    expect(error).toMatchObject({ kind: 'keychain', reason });
    return error;
  });
});

test('keychainError shows on Windows the text of the system, without its full stop and line end', () => {
  const failure = { ok: false, stage: 'call', message: 'Zugriff verweigert.\r\n' } as const;
  expect(keychainError(failure, 'win32')).toMatchObject({
    reason: 'failed',
    message: 'unexpected keychain error: Zugriff verweigert',
    detail: 'the keychain said: Zugriff verweigert.\r\n',
  });
});

test.each<[KeychainReason, ...string[]]>([
  [
    'locked',
    'Cannot create an item in a locked collection',
    'Collection /org/freedesktop/secrets/collection/login is locked',
    'GDBus.Error:org.freedesktop.Secret.Error.IsLocked: x',
    'The prompt was dismissed',
    'User interaction is required.',
    'Interaction is not allowed with the Security Server.',
    'In dark wake, no UI possible',
  ],
  [
    'no-provider',
    'GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: x',
    'The name org.freedesktop.secrets was not provided by any .service files',
    'No keychain is available. You may need to restart your computer.',
  ],
  [
    'no-collection',
    'Object does not exist at path “/org/freedesktop/secrets/collection/login”',
    "No such object path '/org/freedesktop/secrets/aliases/default'",
    'The specified keychain could not be found.',
  ],
  [
    'no-session',
    'Cannot autolaunch D-Bus without X11 $DISPLAY',
    'Could not connect: x',
    'Error connecting: x',
    'Failed to execute child process “dbus-launch”',
    'Address element “x” does not contain a colon (:)',
    'The given address is empty',
    'Error in address “unix:”',
    'Cannot spawn a message bus without a machine-id',
    'No such file or directory',
    'The connection is closed',
    'A specified logon session does not exist. It may already have been terminated.\r\n',
  ],
  ['key-mismatch', 'Client public key size is invalid', "Can't find session /org/freedesktop/secrets/1"],
  ['timed-out', 'Timeout was reached', 'The operation timed out'],
  [
    'denied',
    "A required entitlement isn't present.",
    'Access to the item has been denied',
    'GDBus.Error:org.freedesktop.DBus.Error.AccessDenied: x',
    'Operation was cancelled',
    'User canceled the operation.',
    'The user name or passphrase you entered is not correct.',
  ],
  // The second is Windows': an item encrypted for another login, whatever its size.
  ['failed', 'something new', 'Bad Data.'],
])('keychainError recognizes %s by the texts of libsecret, glib, macOS and Windows', (reason, ...texts) => {
  for (const message of texts)
    expect([message, keychainError({ ok: false, stage: 'call', message }, 'linux').reason]).toEqual([
      message,
      reason,
    ]);
});
