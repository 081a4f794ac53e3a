/** Detection of CI jobs, and suggested time limits. */
import { expect, test } from 'vitest';
import { isCi, prefersVariables } from '../src/surroundings';

test('isCi() is true if CI is set to anything but a word for no', () => {
  for (const value of ['1', 'true', 'yes', 'False', ' ']) expect(isCi({ CI: value })).toBe(true);
  for (const env of [{}, { CI: '' }, { CI: '0' }, { CI: 'false' }, { GITHUB_ACTIONS: 'true' }])
    expect(isCi(env)).toBe(false);
});

test('prefersVariables() is true in CI, without a session bus, with credentials set', () => {
  const headless = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    prefersVariables({ env, platform });
  expect(headless({})).toBe(true);
  expect(headless({}, 'darwin')).toBe(false);
  expect(headless({ XDG_RUNTIME_DIR: '/run/user/1000' })).toBe(false);
  expect(headless({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/b' })).toBe(false);
  expect(headless({ CI: '1', XDG_RUNTIME_DIR: '/run/user/1000' })).toBe(true);
  expect(headless({ GWTOKEN_CLIENT_SECRET_FILE: '' }, 'darwin')).toBe(true);
});
