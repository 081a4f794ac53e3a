/** Errors for the texts of libsecret, glib, macOS and Windows, as keytar passes them on. */
import { expect, test } from 'vitest';
import { failureError, keychainError, notAnswered } from '../../../src/system/keychain/errors';

test.each<[fault: Parameters<typeof keychainError>[0], ...texts: string[]]>([
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
    'Could not connect: Connection refused',
    'The connection is closed',
    'A specified logon session does not exist. It may already have been terminated.\r\n',
  ],
  ['key-mismatch', 'Client public key size is invalid', "Can't find session /org/freedesktop/secrets/1"],
  ['timed-out', 'Timeout was reached', 'The operation timed out'],
  [
    'denied',
    "A required entitlement isn't present.",
    'Access to the item has been denied',
    'GDBus.Error:org.freedesktop.DBus.Error.AccessDenied: Rejected send message, 2 matched rules',
    'Rejected send message, 2 matched rules; type="method_call", sender=":1.9"',
    'Operation was cancelled',
    'User canceled the operation.',
    'The user name or passphrase you entered is not correct.',
  ],
  // Windows says "Bad Data." if an item was encrypted for another login.
  ['failed', 'something new', 'Bad Data.'],
])('failureError() finds "%s" by the texts of libsecret, glib, macOS and Windows', (fault, ...texts) => {
  for (const message of texts)
    expect(failureError({ isLoaded: true, message }, 'linux')).toEqual(keychainError(fault, message));
});

test('failureError() finds "denied" by the code of a declined dialog', () => {
  const failure = { isLoaded: true, message: 'the item is still there', code: 'DENIED' };
  expect(failureError(failure, 'linux')).toMatchObject({ reason: 'denied' });
});

test('failureError() marks the cut of a long message', () => {
  const { message, detail } = failureError({ isLoaded: true, message: 'x'.repeat(201) }, 'linux');
  expect(message).toBe(`unexpected keychain error: ${'x'.repeat(200)}…`);
  expect(detail).toBe(`details: ${'x'.repeat(200)}…`);
});

test.each([
  ['libsecret-1.so.0: cannot open shared object file', 'library-missing'],
  ['Error loading shared library libsecret-1.so.0: No such file or directory (by a)', 'library-missing'],
  ['keytar.node: cannot open shared object file: Permission denied', 'not-loadable'],
] as const)('failureError() reads the loader message "%s" as "%s"', (message, fault) => {
  expect(failureError({ isLoaded: false, message }, 'linux')).toEqual(keychainError(fault, message));
});

test('failureError() has the hint of the platform', () => {
  const hints = (['linux', 'darwin', 'win32'] as const).map(
    (platform) => failureError({ isLoaded: true, message: 'is locked' }, platform).hints[0],
  );
  expect(hints).toEqual([
    'unlock it: log in to the desktop, or in seahorse, KWallet or KeePassXC',
    'unlock it (needed once per ssh session): security unlock-keychain',
    'log in to Windows on the desktop, not only over the network',
  ]);
});

test('notAnswered() names the problem of the keyring, otherwise the time limit', () => {
  expect(notAnswered('locked', 2500)).toEqual(keychainError('locked'));
  expect(notAnswered(undefined, 2500)).toMatchObject({
    reason: 'timed-out',
    message: 'the keychain did not answer within 2.5 s',
  });
});
