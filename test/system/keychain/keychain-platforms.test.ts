import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { keychainError, notAnswered } from '../../../src/system/keychain/errors';
import { openKeychain } from '../../../src/system/keychain/keychain';
import type { Output } from '../../../src/world/streams';
import { asFunction, programWith } from './keytar-in-place';

// macOS and Windows cannot be tried here: these are the texts that their systems give, by keytar's sources, in a
// module of ours; the child, the channel and the telling apart are the real ones.
describe('on macOS, on Windows and with half a KWallet', () => {
  const silent: Output = { isTTY: () => false, write: () => {} };
  async function failure(platform: NodeJS.Platform, text: string): Promise<GwtokenError> {
    const { copy } = programWith(asFunction(`async () => { throw new Error(${JSON.stringify(text)}); }`));
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
    const error = await failure(platform, text);
    expect(error).toMatchObject({ kind: 'keychain', reason });
    expect(error.hints.join('\n')).toContain(hint);
    expect(error.message).not.toContain('\r');
    expect(error.message.includes(text.trim())).toBe(platform === 'win32' && reason === 'failed');
    expect(error.detail).toContain(text);
  });

  // What Bun says where TMPDIR is a directory that is not there.
  test('an executable that cannot unpack its module says so', () => {
    const message = '/$bunfs/root/keytar.node: cannot open shared object file: No such file or directory';
    const error = keychainError({ ok: false, stage: 'load', message }, 'linux');
    expect(error.message).toBe('cannot unpack the keychain module into the temporary directory');
    expect(error.hints.join('\n')).toContain('TMPDIR');
  });

  test('on Windows, a module that does not start is no matter of ulimit', () => {
    expect(notAnswered('not-started', 1000, false, 'darwin').hints.join()).toContain('ulimit');
    expect(notAnswered('not-started', 1000, false, 'win32').hints.join()).not.toContain('ulimit');
  });

  test('"not there" is not asked of a bus', async () => {
    const { copy } = programWith(asFunction('async () => null'));
    const env = { PATH: '/nonexistent' };
    const keychain = openKeychain({ platform: 'win32', env, stderr: silent, childPath: copy.childPath });
    expect(await keychain.get('default:production:eu')).toBeUndefined();
  });
});
