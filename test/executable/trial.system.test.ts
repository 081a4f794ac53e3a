/** The trial that a release runs with each executable, here with a working and a broken one. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openDirectory } from '../harness/homes/directory';
import { startKeyring } from '../harness/keyrings/keyring';
import { executable } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const trial = join(ROOT, 'test', 'executable', 'trial.mjs');
const attempt = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [trial, ...args], { env: { ...process.env, ...env } });

test('the trial passes with the executable and a keychain', async ({ needs }) => {
  needs('keyring');
  const keyring = await startKeyring({ state: 'unlocked' });
  const { stdout } = await attempt([executable(), '--keychain'], keyring.env);
  expect(stdout).toContain('get after logout ends with: 4\n');
  expect(await keyring.lookup('try-executable:production:eu')).toBeUndefined();
});

test('the trial fails with an executable that prints no token', async ({ needs }) => {
  needs('posix');
  const file = join(openDirectory(), 'gwtoken');
  writeFileSync(file, '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
  await expect(attempt([file])).rejects.toThrow('get: "1.2.3" instead of "tried-1"');
});
