/** `npm run demo` on a fresh clone: it ends well, and shows the main job. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../../harness/homes/folder';

/** Plays the demo as `npm run demo` does; expects that it leaves nothing in the temporary folder. */
async function demo(env: Readonly<Record<string, string>> = {}, interruptAt?: string) {
  const TMPDIR = openFolder();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.mjs')], {
    env: { ...process.env, TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (interruptAt !== undefined && stdout.includes(interruptAt)) child.kill('SIGTERM');
  });
  const [code, signal] = await new Promise<unknown[]>((resolve) => {
    child.once('close', (...ended) => resolve(ended));
  });
  expect(readdirSync(TMPDIR)).toEqual([]);
  return { code, signal, stdout, stderr };
}

test('the demo plays to its end with a keychain', async ({ needs }) => {
  needs('keyring');
  const played = await demo();
  expect(played).toMatchObject({ code: 0, stderr: '' });
  expect(played.stdout).toMatch(
    /\nCredentials verified and stored in the keychain as default:production:eu\n/,
  );
  expect(played.stdout).toMatch(/all as expected\. Everything was cleaned up\.\n$/);
});

test('the demo says that there is no keychain, and plays with variables', async ({ needs }) => {
  needs('posix');
  const bin = join(openFolder(), 'bin');
  mkdirSync(bin);
  for (const program of ['sh', 'env']) symlinkSync(`/bin/${program}`, join(bin, program));
  const played = await demo({ PATH: bin });
  expect(played).toMatchObject({ code: 0, stderr: '' });
  expect(played.stdout).toMatch(/No keychain for the demo here \(needs /);
  expect(played.stdout).toMatch(/\$ export GWTOKEN_CLIENT_SECRET_EU=\S+\n/);
  expect(played.stdout).not.toContain('gwtoken login');
});

test('the demo, interrupted, dies of the signal', async ({ needs }) => {
  needs('posix');
  const played = await demo({}, '--format json');
  expect(played).toMatchObject({ code: null, signal: 'SIGTERM' });
  expect(played.stdout).not.toContain('Everything was cleaned up');
});
