/** The default keyring's state, as the bus tells it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyringState } from '../../../src/system/keychain/keyring-state';
import { openFolder } from '../../harness/homes/folder';
import { startKeyring } from '../../harness/keyrings/keyring';
import { isRunning, until } from '../../harness/programs/processes';

const { PATH } = process.env;

test('a keyring is open, locked or not there; without dbus-send nobody knows', async ({ needs }) => {
  needs('keyring');
  const keyring = await startKeyring({ state: 'unlocked' });
  expect(await keyringState({ ...keyring.env, PATH })).toBe('unlocked');
  await keyring.lock();
  expect(await keyringState({ ...keyring.env, PATH })).toBe('locked');
  expect(await keyringState({ ...keyring.env, PATH: '/nonexistent' })).toBe('unknown');
  const { env } = await startKeyring({ state: 'none' });
  expect(await keyringState({ ...env, PATH })).toBe('none');
});

test('a bus that is silent is unknown after five seconds', async ({ needs }) => {
  needs('linux');
  const folder = openFolder();
  const script = `#!/bin/sh\ntrap '' TERM\necho $$ >'${folder}/pid'\nexec sleep 60`;
  writeFileSync(join(folder, 'dbus-send'), script, { mode: 0o755 });
  const startedAt = performance.now();
  expect(await keyringState({ PATH: `${folder}:${PATH}` })).toBe('unknown');
  expect(performance.now() - startedAt).toBeGreaterThan(4900);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  await until('dbus-send has ended', () => !isRunning(pid));
});
