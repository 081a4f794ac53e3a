import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountsOnBus, isAbsent, keyringProblem } from '../../../src/system/keychain/keyring-state';
import { openDirectory } from '../../harness/homes/directory';
import { startKeyring } from '../../harness/keyrings/keyring';

const { PATH } = process.env;
const { signal } = new AbortController();

test('keyringProblem() reports locked and missing keyrings, if dbus-send runs', async ({ needs }) => {
  needs('keyring');
  const keyring = await startKeyring({ state: 'unlocked' });
  expect(await keyringProblem({ ...keyring.env, PATH }, signal)).toBeUndefined();
  await keyring.lock();
  expect(await keyringProblem({ ...keyring.env, PATH }, signal)).toBe('locked');
  expect(await keyringProblem({ ...keyring.env, PATH: '/nonexistent' }, signal)).toBeUndefined();
  const { env } = await startKeyring({ state: 'none' });
  expect(await keyringProblem({ ...env, PATH }, signal)).toBe('no-collection');
});

test('isAbsent() is certain only if dbus-send runs and no keyring is locked', async ({ needs }) => {
  needs('keyring');
  const keyring = await startKeyring({ state: 'unlocked', seed: { 'default:production:eu': 'an item' } });
  const env = { ...keyring.env, PATH };
  expect(await isAbsent('default:production:eu', env, signal)).toBe(false);
  expect(await isAbsent('default:production:us', env, signal)).toBe(true);
  expect(await isAbsent('default:production:us', { ...env, PATH: '/nonexistent' }, signal)).toBe(false);
  await keyring.lock();
  expect(await isAbsent('default:production:us', env, signal)).toBe(false);
});

test('accountsOnBus() returns the accounts of all items, even of locked ones', async ({ needs }) => {
  needs('keyring');
  const seed = { 'default:production:eu': 'an item', 'acme:sandbox:us': 'an item' };
  const { env } = await startKeyring({ state: 'locked', seed });
  expect(await accountsOnBus({ ...env, PATH: '/nonexistent' }, signal)).toBeUndefined();
  const silent = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', PATH };
  await expect(accountsOnBus(silent, signal)).rejects.toThrow('there is no desktop session');
  expect(new Set(await accountsOnBus({ ...env, PATH }, signal))).toEqual(new Set(Object.keys(seed)));
});

test('keyringProblem() passes only the bus address, PATH and LC_ALL to dbus-send', async ({ needs }) => {
  needs('linux');
  const directory = openDirectory();
  writeFileSync(join(directory, 'dbus-send'), `#!/bin/sh\nenv >'${directory}/env'\n`, { mode: 0o755 });
  const own = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  const env = { PATH: `${directory}:${PATH}`, ...own, GWTOKEN_CLIENT_SECRET: 'x' };
  expect(await keyringProblem(env, signal)).toBeUndefined();
  const names = readFileSync(join(directory, 'env'), 'utf8').match(/^[A-Z]\w*(?==)/gm);
  const setByShell = ['PWD', 'OLDPWD', 'SHLVL'];
  expect(names?.filter((name) => !setByShell.includes(name)).sort()).toEqual([
    ...Object.keys(own),
    'LC_ALL',
    'PATH',
  ]);
});
