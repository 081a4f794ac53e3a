/** Items that somebody has made by hand, with secret-tool or as the help says. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { openHome } from '../../harness/homes/home';
import { type Keyring, startKeyring } from '../../harness/keyrings/keyring';
import { attributesOf } from '../../harness/keyrings/secret-service';
import { missing } from '../../harness/needs';
import { leftBehind } from '../../harness/programs/processes';
import { GWTOKEN_SH, inherited, runCommand, runProgram } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';

const ACCOUNT = 'default:production:eu';
const CLIENT = { clientId: 'eu-client', clientSecret: 'canary-secret' };

describe('an item made by hand', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let env: Record<string, string>;
  beforeEach(({ needs }) => needs('keyring'));
  beforeAll(async () => {
    if (missing('keyring') !== undefined) return;
    identity = await startIdentityServer({ clients: [CLIENT] });
    keyring = await startKeyring({ state: 'unlocked' });
    env = { ...keyring.env, GWTOKEN_REGION: 'eu' };
    await runProgram(['config', 'set', 'auth-url', identity.authUrl], { env });
  });
  const get = (...args: string[]) => runProgram(['get', '--no-cache', ...args], { env });
  /** Runs secret-tool, with the attributes that are given. */
  const store = (value: string | Buffer, attributes: readonly string[]) => {
    const options = { env: { PATH: process.env['PATH'], ...keyring.env }, input: value };
    const made = spawnSync('secret-tool', ['store', '--label=made by hand', ...attributes], options);
    expect(made.stderr.toString()).toBe('');
  };

  test('with bytes that are not UTF-8 is an error that never shows the value', async () => {
    const bytes = Buffer.from(`{"client_id":"a","client_secret":"canary\xff\xfe"}`, 'latin1');
    store(bytes, ['xdg:schema', 'org.freedesktop.Secret.Generic', ...attributesOf(ACCOUNT)]);
    const { code, stdout, stderr } = await get('--verbose');
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(
      `gwtoken: error: the keychain item gwtoken, ${ACCOUNT} has a client_id or client_secret that is not UTF-8 text`,
    );
    expect(stderr).not.toContain('canary');
    await keyring.clear(ACCOUNT);
  });

  test('as the help says is read', async () => {
    const made = spawnSync('sh', ['-c', example('secret-tool store')], {
      env: {
        ...inherited(),
        ...keyring.env,
        ID: CLIENT.clientId,
        SECRET: CLIENT.clientSecret,
        AUTH_URL: identity.authUrl,
      },
      encoding: 'utf8',
    });
    expect(made).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const { code, stdout } = await get();
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${identity.issued.at(-1)}\n` });
    await keyring.clear(ACCOUNT);
  });

  test('without the schema attribute is mentioned by --verbose, and login works beside it', async () => {
    const item = { client_id: CLIENT.clientId, client_secret: 'x', auth_url: identity.authUrl };
    store(JSON.stringify(item), attributesOf(ACCOUNT));
    const { code, stderr } = await get('-v');
    // gnome-keyring adds the attribute when it reads its file again, which it may do at any moment.
    const told = stderr.includes('created the keychain item yourself? see: gwtoken help keychain\n');
    expect([`3 ${false}`, `4 ${true}`]).toContain(`${code} ${told}`);
    const login = ['login', '--client-id', CLIENT.clientId, '--secret-stdin'];
    expect((await runProgram(login, { env, stdin: CLIENT.clientSecret })).code).toBe(0);
    expect((await get()).code).toBe(0);
    // Replaced if it was seen by then, else beside the new one: no call of keytar's reaches it to remove it.
    expect([1, 2]).toContain((await keyring.search('gwtoken')).match(/^\[/gm)?.length);
  });
});

/** The indented example of the topic that contains these words. */
function example(words: string): string {
  const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'keychain.md'), 'utf8');
  const found = topic.split(/\n{2,}(?! {4})/).find((block) => block.includes(words)) ?? '';
  return found
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .join('\n');
}

test('a keyring without a desktop works as the help says', async ({ needs }) => {
  needs('keyring');
  const identity = await startIdentityServer({ clients: [CLIENT] });
  const home = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: identity.authUrl });
  const login = `printf %s "$SECRET" | ${GWTOKEN_SH} login --client-id eu-client --secret-stdin`;
  // Without the file capability that Debian gives it, and that some containers do not let it have.
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
