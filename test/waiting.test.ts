/** Detection of CI jobs, and suggested time limits. */
import { expect, test } from 'vitest';
import { isCi, isHeadless } from '../src/waiting';

test('isCi() is true if CI is set to anything but a word for no', () => {
  for (const value of ['1', 'true', 'yes', 'False', ' ']) expect(isCi({ CI: value })).toBe(true);
  for (const env of [{}, { CI: '' }, { CI: '0' }, { CI: 'false' }, { GITHUB_ACTIONS: 'true' }])
    expect(isCi(env)).toBe(false);
});

test('isHeadless() is true in CI, in other jobs and beside variables for credentials', () => {
  const headless = (env: Record<string, string>, isTTY = false, platform: NodeJS.Platform = 'linux') =>
    isHeadless({ env, platform, stderr: { isTTY: () => isTTY, write() {} } });
  expect(headless({})).toBe(true);
  expect(headless({}, true)).toBe(false);
  expect(headless({}, false, 'darwin')).toBe(false);
  expect(headless({ XDG_RUNTIME_DIR: '/run/user/1000' })).toBe(false);
  expect(headless({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/b' })).toBe(false);
  expect(headless({ CI: '1' }, true)).toBe(true);
  expect(headless({ GWTOKEN_CLIENT_SECRET_FILE: '' }, true)).toBe(true);
});
