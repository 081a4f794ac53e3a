/** `npm run demo` on a fresh clone: it succeeds, shows the main job and leaves no files. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../harness/homes/directory';
import { runCommand } from '../harness/programs/program';

const DEMO = [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'demo.ts')];
/** Time limit on a busy machine. On a quiet one the demo takes three seconds. */
const timeoutMs = 85_000;
/** Environment in which the demo shows the executable, whose start takes a fifth of the package's time. */
const QUICK = { TESTED_FORM: 'executable' };
/** Returns the files that the demo has left, without those of tsx. */
const left = (directory: string) => readdirSync(directory).filter((name) => !name.startsWith('tsx-'));

test('the demo succeeds with a keychain', async ({ needs }) => {
  needs('keyring');
  const TMPDIR = openDirectory();
  const { code, stdout, stderr } = await runCommand(DEMO, { env: { TMPDIR }, timeoutMs });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('\nCredentials verified and stored in the keychain as default:production:eu\n');
  expect(stdout).toMatch(/all as expected\. Everything was cleaned up\.\n$/);
  expect(left(TMPDIR)).toEqual([]);
});

test('the demo uses variables if there is no keychain', async ({ needs }) => {
  needs('posix');
  const bin = join(openDirectory(), 'bin');
  mkdirSync(bin);
  for (const program of ['sh', 'env']) symlinkSync(`/bin/${program}`, join(bin, program));
  const { code, stdout, stderr } = await runCommand(DEMO, { env: { ...QUICK, PATH: bin }, timeoutMs });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/No keychain for the demo here \(needs /);
  expect(stdout).toMatch(/\$ export GWTOKEN_CLIENT_SECRET_EU=\S+\n/);
  expect(stdout).not.toContain('gwtoken login');
});
