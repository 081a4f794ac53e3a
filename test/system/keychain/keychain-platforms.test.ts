import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { keychainError, notAnswered } from '../../../src/system/keychain/errors';
import { openKeychain } from '../../../src/system/keychain/keychain';
import type { KeychainReason } from '../../../src/world/keychain';
import type { Env, Output } from '../../../src/world/streams';
import { onCleanup } from '../../harness/clean-up';
import { asFunction, programWith } from './keytar-in-place';

// macOS and Windows cannot be tried here: these are the texts that their systems give, by keytar's sources, in a
// module of ours; the child, the channel and the telling apart are the real ones.
describe('on macOS, on Windows and with half a KWallet', () => {
  const silent: Output = { isTTY: () => false, write: () => {} };
  const throwing = (text: string) => `async () => { throw new Error(${JSON.stringify(text)}); }`;
  async function failure(platform: NodeJS.Platform, body: string): Promise<GwtokenError> {
    const { copy } = programWith(asFunction(body));
    const keychain = openKeychain({ platform, env: {}, stderr: silent, childPath: copy.childPath });
    const error = await keychain.get('default:production:eu').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GwtokenError);
    return error as GwtokenError;
  }

  test.each([
    ['linux', 'createDLGroup failed: maybe libqca-ossl is missing', 'plugin-missing', 'libqca-qt5-2-plugins'],
    ['darwin', 'User interaction is not allowed.', 'locked', 'security unlock-keychain'],
    ['darwin', 'In dark wake, no UI possible', 'locked', 'security unlock-keychain'],
    ['darwin', 'User canceled the operation.', 'denied', 'Always Allow'],
    ['darwin', 'The user name or passphrase you entered is not correct.', 'denied', 'Always Allow'],
    ['darwin', 'A default keychain could not be found.', 'no-collection', 'security default-keychain'],
    [
      'darwin',
      'No keychain is available. You may need to restart your computer.',
      'no-provider',
      'gwtoken help',
    ],
    ['win32', 'The stub received bad data.\r\n', 'too-large', '2,560 bytes'],
    [
      'win32',
      'A specified logon session does not exist. It may already have been terminated.\r\n',
      'no-session',
      'gwtoken help',
    ],
    ['win32', 'Access is denied.\r\n', 'denied', 'allow access'],
    ['win32', 'Zugriff verweigert\r\n', 'failed', '--verbose'],
  ] as const)('%s: %s', async (platform, text, reason, hint) => {
    const error = await failure(platform, throwing(text));
    expect(error).toMatchObject({ kind: 'keychain', reason });
    expect(error.hints.join('\n')).toContain(hint);
    expect(error.message).not.toContain('\r');
    expect(error.message.includes(text.trim())).toBe(platform === 'win32' && reason === 'failed');
    expect(error.detail).toBe(`the keychain said: ${text}`);
  });

  test.each([
    ["() => process.kill(process.pid, 'SIGKILL')", 'the keychain process ended: SIGKILL'],
    ['() => process.exit(3)', 'the keychain process ended: exit code 3'],
    ["() => process.send('garbage')", 'unexpected answer from the keychain process'],
    ['async () => 1', 'unexpected answer from the keychain process'],
    ['async () => true', 'unexpected answer from the keychain process'],
    ['() => process.send({ ok: false })', 'unexpected answer from the keychain process'],
  ])('what the child came to is told under --verbose: %s', async (body, said) => {
    expect(await failure('linux', body)).toMatchObject({
      reason: 'crashed',
      detail: `the keychain said: ${said}`,
    });
  });

  test.skipIf(process.platform === 'win32')(
    'what keeps it from being started is told under --verbose, whether Node throws it or tells of it later',
    async () => {
      const failed = async (env: Env) => {
        const keychain = openKeychain({ platform: 'linux', env, stderr: silent, childPath: '/nonexistent' });
        return await keychain.get('default:production:eu').catch((error: unknown) => error);
      };
      const because = (what: string) => ({
        reason: 'crashed',
        detail: `the keychain said: cannot start the keychain process: ${what}`,
      });
      expect(await failed({ HOME: 'x'.repeat(4_000_000) })).toMatchObject(because('spawn E2BIG'));
      const { execPath } = process;
      onCleanup(() => {
        process.execPath = execPath;
      });
      process.execPath = '/no/such/node';
      expect(await failed({})).toMatchObject(because('spawn /no/such/node ENOENT'));
    },
  );
});

describe('what is said and advised', () => {
  const VARIABLES = 'without a keychain, use environment variables: gwtoken help keychain';
  const UNLOCK = {
    linux:
      'unlock it: log in to the desktop, or open Passwords and Keys (seahorse), KWalletManager or KeePassXC',
    darwin: 'unlock it (needed once per ssh session): security unlock-keychain',
    win32: 'log in to Windows on the desktop, not only over the network',
  };
  const NO_KEYRING = [
    'create one: log in to the desktop once, or use Passwords and Keys (seahorse)',
    'in KeePassXC, open a database that exposes a group to the Secret Service',
  ];
  const SESSION = 'this is normal over ssh, under cron or sudo, and in containers';
  const LIMITS = 'you may have reached a system limit: check ulimit -u and ulimit -v';
  const LONGER = 'to wait longer, run: gwtoken config set keychain-timeout 6s';

  test.each<[KeychainReason, 'linux' | 'darwin' | 'win32', string, string[]]>([
    ['no-session', 'linux', 'no keychain here: there is no desktop session (D-Bus)', [SESSION, VARIABLES]],
    [
      'no-session',
      'win32',
      'Credential Manager is not available in this session',
      ['this is normal over ssh, in services and in scheduled tasks', VARIABLES],
    ],
    [
      'no-provider',
      'linux',
      'no keychain service is running in this session',
      ['install and start gnome-keyring, KWallet or KeePassXC', VARIABLES],
    ],
    ['no-provider', 'darwin', 'there is no keychain in this session', [VARIABLES]],
    [
      'plugin-missing',
      'linux',
      'KWallet has no encryption plugin (libqca-ossl)',
      ['Debian, Ubuntu: apt-get install libqca-qt5-2-plugins, then log in again', VARIABLES],
    ],
    ['no-collection', 'linux', 'the keychain has no default keyring', [...NO_KEYRING, VARIABLES]],
    [
      'no-collection',
      'darwin',
      'there is no default keychain',
      ['set one: security default-keychain -s login.keychain-db', VARIABLES],
    ],
    ['locked', 'linux', 'the keychain is locked', [UNLOCK.linux, VARIABLES]],
    ['locked', 'darwin', 'the keychain is locked', [UNLOCK.darwin, VARIABLES]],
    ['locked', 'win32', 'the keychain is locked', [UNLOCK.win32, VARIABLES]],
    [
      'hidden',
      'linux',
      'no such item in the open keyring, but another keyring is locked',
      [UNLOCK.linux, VARIABLES],
    ],
    ['denied', 'linux', 'the keychain denied access', ['try again, and allow access in the dialog']],
    [
      'denied',
      'darwin',
      'the keychain denied access',
      ['when macOS asks whether node may use the item, choose Always Allow'],
    ],
    [
      'timed-out',
      'linux',
      'the keychain service timed out',
      ['it may be stuck: restart it, or log out and in again'],
    ],
    [
      'too-large',
      'win32',
      'the credentials are too large for the keychain',
      ['the limit is 2,560 bytes per item', VARIABLES],
    ],
    [
      'crashed',
      'linux',
      'the keychain module crashed',
      ['try again; if it keeps crashing, reinstall gwtoken and run: gwtoken doctor', VARIABLES],
    ],
    [
      'failed',
      'linux',
      'unexpected keychain error',
      ['for details, add --verbose', 'to diagnose, run: gwtoken doctor'],
    ],
  ])('of %s on %s', (reason, platform, message, hints) => {
    expect(keychainError(reason, platform)).toMatchObject({ kind: 'keychain', reason, message, hints });
  });

  test.each<[string, 'linux' | 'win32', string, string[]]>([
    [
      'libsecret-1.so.0: cannot open shared object file',
      'linux',
      'the keychain needs libsecret-1.so.0, which is not installed',
      [
        'Debian, Ubuntu: apt-get install libsecret-1-0; Fedora: dnf install libsecret; Arch: pacman -S libsecret',
        VARIABLES,
      ],
    ],
    [
      '/$bunfs/root/keytar.node: cannot open shared object file',
      'linux',
      'cannot unpack the keychain module into the temporary directory',
      ['set TMPDIR to a directory that you can write to', VARIABLES],
    ],
    [
      '/a/keytar.node: failed to map segment from shared object',
      'linux',
      'the keychain module cannot be loaded from /a: programs must not run there (noexec)',
      ['install gwtoken on a file system without noexec', VARIABLES],
    ],
    [
      '/a/.bun-1.node: failed to map segment from shared object',
      'linux',
      'the keychain module cannot be loaded from /a: programs must not run there (noexec)',
      ['set TMPDIR to a directory on a file system without noexec', VARIABLES],
    ],
    [
      'wrong ELF class',
      'linux',
      'the keychain module does not support this system (musl libc or CPU)',
      ['for details, add --verbose', VARIABLES],
    ],
    [
      'not a valid Win32 application',
      'win32',
      'the keychain module does not support this system',
      ['for details, add --verbose', VARIABLES],
    ],
  ])('of a loader that says: %s', (cause, platform, message, hints) => {
    const error = keychainError({ ok: false, stage: 'load', message: 'keytar drops it', cause }, platform);
    expect(error).toMatchObject({ kind: 'keychain', reason: 'library-missing', message, hints });
  });

  test.each<[Parameters<typeof notAnswered>[0], boolean, string, string, string[]]>([
    ['not-started', true, 'not-started', 'the keychain module did not start within 2.5 s', [LIMITS, LONGER]],
    ['locked', true, 'locked', 'the keychain is still locked after 2.5 s', [UNLOCK.linux, LONGER]],
    [
      'no-collection',
      false,
      'no-collection',
      'the keychain still has no default keyring after 2.5 s',
      [...NO_KEYRING, LONGER],
    ],
    [
      'unlocked',
      true,
      'silent',
      'the keychain did not answer within 2.5 s (was a dialog open?)',
      ['answer the dialog, or unlock the keychain first', LONGER],
    ],
    [
      undefined,
      false,
      'timed-out',
      'the keychain did not answer within 2.5 s',
      ['a dialog may be open on another screen, or it is stuck; run: gwtoken doctor', LONGER],
    ],
  ])('when the limit has passed: %s, with a person: %s', (state, person, reason, message, hints) => {
    expect(notAnswered(state, 2500, person, 'linux')).toMatchObject({
      kind: 'keychain',
      reason,
      message,
      hints,
    });
  });

  test('a longer wait is advised only as far as the setting goes', () => {
    expect(notAnswered('unlocked', 2_700_000, true, 'linux').hints).toEqual([
      'answer the dialog, or unlock the keychain first',
      'to wait longer, run: gwtoken config set keychain-timeout 3600s',
    ]);
  });

  test('on Windows, the text of the system without its full stop and line end', () => {
    const failure = { ok: false, stage: 'call', message: 'Zugriff verweigert.\r\n' } as const;
    expect(keychainError(failure, 'win32')).toMatchObject({
      reason: 'failed',
      message: 'unexpected keychain error: Zugriff verweigert',
      detail: 'the keychain said: Zugriff verweigert.\r\n',
    });
  });

  // Of libsecret and glib, GDBus, KWallet and macOS.
  test.each<[KeychainReason, ...string[]]>([
    [
      'locked',
      'Cannot create an item in a locked collection',
      'Collection /org/freedesktop/secrets/collection/login is locked',
      'GDBus.Error:org.freedesktop.Secret.Error.IsLocked: x',
      'The prompt was dismissed',
      'User interaction is required.',
      'Interaction is not allowed with the Security Server.',
    ],
    [
      'no-provider',
      'GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: x',
      'The name org.freedesktop.secrets was not provided by any .service files',
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
    ],
    ['key-mismatch', 'Client public key size is invalid', "Can't find session /org/freedesktop/secrets/1"],
    ['timed-out', 'Timeout was reached', 'The operation timed out'],
    [
      'denied',
      "A required entitlement isn't present.",
      'Access to the item has been denied',
      'GDBus.Error:org.freedesktop.DBus.Error.AccessDenied: x',
      'Operation was cancelled',
    ],
    // The second is of Windows, where an item was encrypted for another login: its size is no matter.
    ['failed', 'something new', 'Bad Data.'],
  ])('what is meant by the texts of a keychain: %s', (reason, ...texts) => {
    for (const message of texts)
      expect([message, keychainError({ ok: false, stage: 'call', message }, 'linux').reason]).toEqual([
        message,
        reason,
      ]);
  });

  test('on Windows, a module that does not start is no matter of ulimit', () => {
    expect(notAnswered('not-started', 3000, false, 'darwin').hints).toEqual([LIMITS, LONGER]);
    expect(notAnswered('not-started', 3000, false, 'win32').hints).toEqual([LONGER]);
  });
});
