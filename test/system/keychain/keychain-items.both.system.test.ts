import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatItem, parseItem } from '../../../src/credentials/keychain-item';
import { GwtokenError } from '../../../src/errors';
import { startIdentityServer } from '../../harness/endpoints/identity-server';
import { EU } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';
import { keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';
import { leftBehind } from '../../harness/programs/processes';
import { GWTOKEN_SH, inherited, runCommand, runProgram } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';

const ACCOUNT = 'default:production:eu';
const SECRET = 'canary+/=&-"\\';
const client = { clientId: 'eu-client', clientSecret: SECRET };
const plain = { clientId: 'eu-plain', clientSecret: 'plain-secret' };

async function setUp(skip: (condition: boolean, note?: string) => void) {
  skip(keyringAvailable() !== undefined, keyringAvailable());
  const identity = await startIdentityServer({ clients: [client, plain] });
  const keyring = await startKeyring({ state: 'unlocked' });
  // An item made by hand has no auth_url: it is bound to the config file's.
  const env = { ...keyring.env, GWTOKEN_REGION: 'eu' };
  await runProgram(['config', 'set', 'auth-url', identity.authUrl], { env });
  const get = async (...args: string[]) => {
    const result = await runProgram(['get', ...args], { env });
    expect(result.stdout + result.stderr).not.toContain('canary');
    return result;
  };
  /** What secret-tool stores, with the attributes that are given. */
  const store = (value: string | Buffer, attributes: readonly string[]) => {
    const args = ['store', '--label=made by hand', ...attributes];
    const made = spawnSync('secret-tool', args, {
      env: { PATH: process.env['PATH'], ...keyring.env },
      input: value,
    });
    expect(made.stderr.toString()).toBe('');
  };
  return { get, store, identity, keyring, env };
}

const KEYS = ['service', 'gwtoken', 'account', ACCOUNT];
const WITH_SCHEMA = ['xdg:schema', 'org.freedesktop.Secret.Generic', ...KEYS];
const JSON_TEXT = JSON.stringify({ client_id: 'eu-client', client_secret: SECRET });

describe('an item made by hand', () => {
  test.for<[string, string]>([
    ['as the help says', JSON_TEXT],
    ['with a trailing newline', `${JSON_TEXT}\n`],
    ['with CRLF and a BOM', `\uFEFF${JSON_TEXT}\r\n`],
    [
      'over several lines, with further members',
      JSON.stringify({ ...JSON.parse(JSON_TEXT), note: 'x' }, null, 2),
    ],
  ])('%s is read', async ([, value], { skip }) => {
    const { get, store, identity } = await setUp(skip);
    store(value, WITH_SCHEMA);
    const { code, stdout, stderr } = await get();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${identity.issued[0]}\n`);
  });

  test.for<[string, string | Buffer, string]>([
    ['with wrong JSON', `{"client_secret": "${SECRET}",}`, 'is not JSON'],
    ['with the secret alone', SECRET, 'is not JSON'],
    [
      'with another member name',
      '{"clientId":"eu-client","secret":"canary"}',
      'has no client_id or client_secret',
    ],
    ['with a list', '["canary"]', 'has no client_id or client_secret'],
    [
      'with bytes that are not UTF-8',
      Buffer.from(`{"client_id":"a","client_secret":"canary\xff\xfe"}`, 'latin1'),
      'is not UTF-8 text',
    ],
    [
      'with a newline in the secret',
      `{"client_id":"a","client_secret":"canary\\n"}`,
      'has a client_id or client_secret that',
    ],
  ])('%s gets a sentence that never shows the value', async ([, value, problem], { skip }) => {
    const { get, store } = await setUp(skip);
    store(value, WITH_SCHEMA);
    for (const more of [[], ['--verbose']]) {
      const { code, stdout, stderr } = await get(...more);
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain(`gwtoken: error: the keychain item gwtoken, ${ACCOUNT} ${problem}`);
      expect(stderr).toContain('hint: to replace it, run: gwtoken login --region eu\n');
    }
  });

  test('without the schema attribute is told of by --verbose when it is not seen, and login works beside it', async ({
    skip,
  }) => {
    const { get, store, keyring, env } = await setUp(skip);
    store(JSON_TEXT, KEYS);
    const { code, stderr } = await get('-v');
    // gnome-keyring adds the attribute when it reads its file again, which it may do at any moment.
    const told = stderr.includes('created the keychain item yourself? see: gwtoken help keychain\n');
    expect([`0 ${false}`, `4 ${true}`]).toContain(`${code} ${told}`);
    const login = ['login', '--client-id', 'eu-client', '--secret-stdin'];
    expect((await runProgram(login, { env, stdin: SECRET })).code).toBe(0);
    expect((await get()).code).toBe(0);
    // Replaced if it was seen by then, else beside the new one: no call of keytar's reaches it to remove it.
    expect([1, 2]).toContain((await keyring.search('gwtoken')).match(/^\[/gm)?.length);
  });
});

describe('what the help says about', () => {
  const topic = readFileSync(join(ROOT, 'src', 'topics', 'keychain.md'), 'utf8');
  /** The indented example that has these words in it. */
  const example = (words: string): string => {
    const found = topic.split(/\n{2,}(?! {4})/).find((block) => block.includes(words)) ?? '';
    return found
      .split('\n')
      .filter((line) => line.startsWith('    '))
      .join('\n');
  };

  test('making an item without gwtoken holds on Linux', async ({ skip }) => {
    const { get, keyring, identity } = await setUp(skip);
    const env = { ...inherited(), ...keyring.env, ID: plain.clientId, SECRET: plain.clientSecret };
    const made = spawnSync('sh', ['-c', example('secret-tool store')], { env, encoding: 'utf8' });
    expect(made).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(await get()).toMatchObject({ code: 0, stdout: `${identity.issued[0]}\n` });
  });

  test('a keyring without a desktop holds', async ({ skip }) => {
    skip(keyringAvailable() !== undefined, keyringAvailable());
    const identity = await startIdentityServer({ clients: [client] });
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
      SECRET,
    };
    const { stdout } = await runCommand(['sh', '-c', example('dbus-run-session')], { env });
    expect(stdout).toBe(`${identity.issued.at(-1)}\n`);
    expect(await leftBehind(home.dir)).toEqual([]);
  });
});

describe('the value of an item', () => {
  const stored = { clientId: 'eu-client', clientSecret: 'hush', authUrl: 'https://id.example.com' };

  test('is read as cmdkey writes it on Windows: UTF-16, as keytar shows it', () => {
    const asKeytarReads = [...formatItem(stored)].map((letter) => `${letter}\0`).join('');
    expect(parseItem(asKeytarReads, EU)).toEqual(stored);
  });

  test('of UTF-16 with a letter beyond ASCII has lost it, and says so', () => {
    const bytes = Buffer.from(JSON.stringify({ client_id: 'a', client_secret: 'canary-ü' }), 'utf16le');
    const error = thrownBy(() => parseItem(bytes.toString('utf8'), EU));
    expect(error).toMatchObject({ kind: 'keychain', reason: 'malformed' });
    expect(error.message).toMatch(/is not UTF-8 text$/);
  });

  test('has 2,560 bytes at most, on every platform', () => {
    const overhead = Buffer.byteLength(formatItem({ ...stored, clientSecret: '' }));
    const fits = { ...stored, clientSecret: 'x'.repeat(2560 - overhead) };
    expect(Buffer.byteLength(formatItem(fits))).toBe(2560);
    const error = thrownBy(() => formatItem({ ...fits, clientSecret: `${fits.clientSecret}x` }));
    expect(error).toMatchObject({ kind: 'usage', reason: 'too-large' });
  });

  function thrownBy(work: () => unknown): GwtokenError {
    try {
      work();
    } catch (error) {
      if (error instanceof GwtokenError) return error;
    }
    throw new Error('no GwtokenError was thrown');
  }
});
