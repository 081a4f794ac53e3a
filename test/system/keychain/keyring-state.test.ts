/** What is wrong with the default keyring, as the bus tells it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyringProblem } from '../../../src/system/keychain/keyring-state';
import { openFolder } from '../../harness/homes/folder';
import { startKeyring } from '../../harness/keyrings/keyring';
import { isRunning, until } from '../../harness/programs/processes';

const { PATH } = process.env;

test('a keyring is locked or not there; nothing is known without dbus-send', async ({ needs }) => {
  needs('keyring');
  const keyring = await startKeyring({ state: 'unlocked' });
  expect(await keyringProblem({ ...keyring.env, PATH })).toBeUndefined();
  await keyring.lock();
  expect(await keyringProblem({ ...keyring.env, PATH })).toBe('locked');
  expect(await keyringProblem({ ...keyring.env, PATH: '/nonexistent' })).toBeUndefined();
  const { env } = await startKeyring({ state: 'none' });
  expect(await keyringProblem({ ...env, PATH })).toBe('no-collection');
});

test('a silent bus is waited for five seconds, and dbus-send gets no variable but its own', async ({
  needs,
}) => {
  needs('linux');
  const folder = openFolder();
  const script = `#!/bin/sh\ntrap '' TERM\nenv >'${folder}/env'\necho $$ >'${folder}/pid'\nexec sleep 60`;
  writeFileSync(join(folder, 'dbus-send'), script, { mode: 0o755 });
  const own = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  const startedAt = performance.now();
  expect(
    await keyringProblem({ PATH: `${folder}:${PATH}`, ...own, GWTOKEN_CLIENT_SECRET: 'x' }),
  ).toBeUndefined();
  expect(performance.now() - startedAt).toBeGreaterThan(4900);
  const names = readFileSync(join(folder, 'env'), 'utf8').match(/^[A-Z]\w*(?==)/gm);
  const ofShell = ['PWD', 'OLDPWD', 'SHLVL'];
  expect(names?.filter((name) => !ofShell.includes(name)).sort()).toEqual([
    ...Object.keys(own),
    'LC_ALL',
    'PATH',
  ]);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  await until('dbus-send has ended', () => !isRunning(pid));
});
