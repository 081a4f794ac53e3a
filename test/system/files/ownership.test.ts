import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { entryPath, generationPath } from '../../../src/system/files/token-cache';
import { onCleanup } from '../../harness/clean-up';
import { startTokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { EU, entryIn, inVariables, keychainEntry, MACHINE, putEntry } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';
import { type Inside, inside } from '../../harness/homes/in-process';

/** Whose a cached token is, and when it is dropped. */
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const entry = () => entryIn(gw.cache);

describe('a token belongs to its credentials and address', () => {
  test('a changed secret, id or address is a miss', async () => {
    await gw.get();
    for (const change of [
      { GWTOKEN_CLIENT_SECRET: 'changed' },
      { GWTOKEN_CLIENT_ID: 'other' },
      { GWTOKEN_AUTH_URL: 'https://b.example.com' },
    ]) {
      const before = gw.posts.length;
      Object.assign(gw.env, change);
      expect(gw.quick(['get'])).toBeUndefined();
      await gw.get();
      expect(gw.posts.length).toBe(before + 1);
      expect(gw.quick(['get'])).toBe(`token-${before + 1}\n`);
    }
  });

  test('the secret is not in the file, nor a digest of it that is the same twice', async () => {
    await gw.get();
    const first = JSON.parse(readFileSync(entry(), 'utf8'));
    await gw.get('--fresh');
    const second = JSON.parse(readFileSync(entry(), 'utf8'));
    expect(JSON.stringify(first)).not.toContain('secret"');
    expect(first.source).toEqual({
      kind: 'variables',
      salt: expect.stringMatching(/^[0-9a-f]{32}$/),
      hmac: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(second.source.salt).not.toBe(first.source.salt);
    expect(second.source.hmac).not.toBe(first.source.hmac);
  });

  test('variables and the keychain never get each other’s, and a warm call opens no keychain', async () => {
    await gw.get();
    const item = { client_id: 'stored', client_secret: 's', auth_url: 'https://a.example.com' };
    gw.items.set('default:production:eu', JSON.stringify(item));
    const { GWTOKEN_CLIENT_ID, GWTOKEN_CLIENT_SECRET, ...keychainOnly } = gw.env;
    gw.env = keychainOnly;
    expect(await gw.get()).toBe('token-2');
    expect(gw.keychainCalls).toBe(1);
    expect(await gw.get()).toBe('token-2');
    expect(gw.keychainCalls).toBe(1);
    gw.env = {
      ...keychainOnly,
      GWTOKEN_CLIENT_ID: GWTOKEN_CLIENT_ID!,
      GWTOKEN_CLIENT_SECRET: GWTOKEN_CLIENT_SECRET!,
    };
    expect(await gw.get()).toBe('token-3');
    expect(gw.posts.map(({ form }) => form.get('client_id'))).toEqual(['client', 'stored', 'client']);
  });

  test('login drops it: the next call asks with what was stored', async () => {
    const { GWTOKEN_CLIENT_ID, GWTOKEN_CLIENT_SECRET, ...keychainOnly } = gw.env;
    gw.env = keychainOnly;
    const login = ['login', '--client-id', 'first', '--secret-stdin', '--auth-url', 'https://a.example.com'];
    gw.stdin = 'one';
    expect(await gw.cli(login)).toMatchObject({ code: 0, stdout: '' });
    expect(await gw.get()).toBe('token-2');
    gw.stdin = 'two';
    expect(await gw.cli(login.with(2, 'second'))).toMatchObject({ code: 0, stdout: '' });
    expect(await gw.get()).toBe('token-4');
    expect(gw.posts.map(({ form }) => form.get('client_id'))).toEqual(['first', 'first', 'second', 'second']);
  });

  test('a login that could not reach the cache leaves no token of the client before', async () => {
    const { GWTOKEN_CLIENT_ID, GWTOKEN_CLIENT_SECRET, ...keychainOnly } = gw.env;
    gw.env = keychainOnly;
    const login = ['login', '--client-id', 'first', '--secret-stdin', '--auth-url', 'https://a.example.com'];
    gw.stdin = 'one';
    expect(await gw.cli(login)).toMatchObject({ code: 0 });
    expect(await gw.get()).toBe('token-2');
    gw.env = { ...keychainOnly, GWTOKEN_CACHE_DIR: `${gw.cache}-of-another-shell` };
    gw.stdin = 'two';
    expect(await gw.cli(login.with(2, 'second'))).toMatchObject({ code: 0 });
    gw.env = keychainOnly;
    expect(gw.quick(['get'])).toBeUndefined();
    expect((await gw.cli(['status', '--json'])).stdout).not.toContain('expires_at');
    expect(await gw.get()).toBe('token-4');
    expect(gw.quick(['get'])).toBe('token-4\n');
    expect(gw.posts.at(-1)?.form.get('client_id')).toBe('second');
  });

  test('logout drops it, of this client alone', async () => {
    const item = { client_id: 'stored', client_secret: 's', auth_url: 'https://a.example.com' };
    gw.items.set('default:production:eu', JSON.stringify(item));
    await gw.get('--sandbox');
    await gw.get();
    expect(await gw.cli(['logout'])).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(gw.cache).filter((file) => file.endsWith('.json'))).toEqual([
      'token-default-sandbox-eu.json',
    ]);
  });

  test('config set and unset credential-command drop them, with --profile those of that profile', async () => {
    await gw.get();
    await gw.get('--region', 'us');
    // Its name in a file's looks as if there were more of it.
    gw.env['GWTOKEN_PROFILE'] = 'acme-sandbox-eu';
    await gw.get();
    const left = () => readdirSync(gw.cache).filter((file) => file.endsWith('.json'));
    expect(left().length).toBe(3);
    const set = ['config', 'set', 'credential-command', 'true'];
    expect(await gw.cli([...set, '--profile', 'acme-sandbox-eu'])).toMatchObject({ code: 0 });
    expect(left()).toEqual(['token-default-production-eu.json', 'token-default-production-us.json']);
    expect(await gw.cli(set)).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
    await gw.get();
    for (const key of ['retries', 'credential-command']) {
      expect(left()).toEqual(['token-acme-sandbox-eu-production-eu.json']);
      gw.configure({ retries: 1, 'credential-command': 'true' });
      expect(await gw.cli(['config', 'unset', key])).toMatchObject({ code: 0 });
    }
    expect(left()).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')(
  'a secret from a pipe can be read only once, and that is enough',
  async () => {
    const endpoint = await startTokenEndpoint();
    const client = openHome(inVariables(endpoint.authUrl));
    // The quick way looks at an entry and reads the secret for it; then it is the CLI's turn.
    putEntry(client.cache, keychainEntry(endpoint.authUrl));
    const pipe = `${client.dir}/pipe`;
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', `printf 'piped\\n' > '${pipe}'`]);
    onCleanup(() => writer.kill());
    const env = { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: pipe };
    expect(await client.gwtoken(['get'], { env })).toMatchObject({
      code: 0,
      stdout: 'token-1\n',
      stderr: '',
    });
    expect(endpoint.posts[0]?.get('client_secret')).toBe('piped');
  },
);

test.skipIf(process.platform === 'win32')(
  'a pipe in the place of a file that is read is waited for by nobody',
  async () => {
    const endpoint = await startTokenEndpoint();
    const client = openHome(inVariables(endpoint.authUrl));
    // In a process of its own: who waits for a pipe hears of no time limit.
    const get = () => client.gwtoken(['get'], { timeoutMs: 10_000 });
    const asked = { code: 0, stdout: 'token-1\n', stderr: '' };
    mkdirSync(client.cache, { recursive: true, mode: 0o700 });
    const pipe = (path: string) => execFileSync('mkfifo', ['-m', '600', path]);
    for (const path of [entryPath(client.cache, EU, MACHINE), generationPath(client.cache, EU, MACHINE)])
      pipe(path);
    expect(await get()).toMatchObject(asked);

    mkdirSync(client.config, { recursive: true, mode: 0o700 });
    pipe(join(client.config, 'config.json'));
    const { code, stdout, stderr } = await get();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: config file \S+config\.json is not a regular file\n/);
  },
);
