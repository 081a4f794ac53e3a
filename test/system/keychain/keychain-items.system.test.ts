/** The examples of the help topic `keychain`, run as shell scripts. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startIdentityServer } from '../../harness/endpoints/identity-server';
import { openHome } from '../../harness/homes/home';
import { startKeyring } from '../../harness/keyrings/keyring';
import { leftBehind } from '../../harness/programs/processes';
import { GWTOKEN_SH, linkProgram, runCommand } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';

const CLIENT = { clientId: 'eu-client', clientSecret: 'canary-secret' };

test('get reads an item that the example with --secret-stdin has stored', async ({ needs }) => {
  needs('keyring');
  const identity = await startIdentityServer({ clients: [CLIENT] });
  const home = openHome((await startKeyring({ state: 'unlocked' })).env);
  const item = { ID: CLIENT.clientId, SECRET: CLIENT.clientSecret, AUTH_URL: identity.authUrl };
  const env = { ...home.env, ...item, PATH: linkProgram(home.dir) };
  const login = await runCommand(['sh', '-c', example('--secret-stdin')], { env });
  expect(login).toMatchObject({ code: 0, stdout: '' });
  const { code, stdout } = await home.gwtoken(['get']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${identity.issued.at(-1)}\n` });
});

/** Returns the indented example of the topic that contains these words. */
function example(words: string): string {
  const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'keychain.md'), 'utf8');
  const found = topic.split(/\n{2,}(?! {4})/).find((block) => block.includes(words)) ?? '';
  return (found.match(/^ {4}.*/gm) ?? []).join('\n');
}

test('the dbus-run-session example of the help gives a keyring without a desktop', async ({ needs }) => {
  needs('keyring');
  const identity = await startIdentityServer({ clients: [CLIENT] });
  const home = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: identity.authUrl });
  const login = `printf %s "$SECRET" | ${GWTOKEN_SH} login --client-id eu-client --secret-stdin`;
  // A copy loses the file capability that Debian sets, which some containers refuse to grant.
  copyFileSync('/usr/bin/gnome-keyring-daemon', join(home.dir, 'gnome-keyring-daemon'));
  const shell = join(home.dir, 'shell');
  writeFileSync(shell, `#!/bin/sh\n${login} && ${GWTOKEN_SH} get\n`, { mode: 0o755 });
  const env = {
    ...home.env,
    PATH: `${home.dir}:${process.env['PATH']}`,
    XDG_DATA_HOME: join(home.dir, 'data'),
    XDG_RUNTIME_DIR: home.dir,
    KEYRING_PASSWORD: 'throwaway',
    SHELL: shell,
    SECRET: CLIENT.clientSecret,
  };
  const { stdout } = await runCommand(['sh', '-c', example('dbus-run-session')], { env });
  expect(stdout).toBe(`${identity.issued.at(-1)}\n`);
  expect(await leftBehind(home.dir)).toEqual([]);
});
