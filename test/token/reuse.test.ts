/** When gwtoken uses a cached token. See also test/sessions/text/reuse.txt. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { generationPath } from '../../src/system/files/token-cache';
import type { Keychain } from '../../src/world';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { EU, keychainEntry, putEntry } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const later = (seconds: number) => {
  gw.nowMs += seconds * 1000;
};

test('--verbose reports the cached token once, despite repeated reads', async () => {
  const cacheLines = async (...args: string[]) => {
    const { stderr } = await gw.cli(['get', '-v', ...args]);
    return stderr.split('\n').filter((line) => /cache: (?!on )/.test(line));
  };
  expect(await cacheLines()).toEqual(['gwtoken: cache: no token']);
  expect(await cacheLines()).toEqual(['gwtoken: cache: using a token with 3600 s left']);
  later(3400);
  expect(await cacheLines()).toEqual(['gwtoken: cache: not using a token with 200 s left']);
  // After the clock was set back, the token's age is unknown.
  for (const seconds of [3700, -1]) {
    later(seconds);
    expect(await cacheLines()).toEqual(['gwtoken: cache: not using a token with 0 s left']);
  }
  gw.env['GWTOKEN_CLIENT_SECRET'] = 'another';
  expect(await cacheLines()).toEqual(['gwtoken: cache: a token for other credentials or another auth URL']);
});

describe('a token', () => {
  test('is not stored if its lifetime is unknown', async () => {
    gw.answer = (post) => tokenReply(post, { expires_in: undefined });
    expect(await gw.get()).toBe('token-1');
    expect(readdirSync(gw.cache)).toEqual([]);
    const { code, stderr } = await gw.cli(['get', '--min-ttl', '1s']);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /: this endpoint does not say .* last; --min-ttl requires it\nhint: omit --min-ttl\n$/,
    );
  });

  test('is used for half its lifetime if the config’s min-ttl is longer', async () => {
    const expiresAtMs = gw.nowMs + 3_600_000;
    gw.answer = () => tokenReply('ageing', { expires_in: Math.round((expiresAtMs - gw.nowMs) / 1000) });
    gw.configure('{"min-ttl":"2h"}');
    await gw.get();
    for (const [seconds, posts] of [
      [1799, 1],
      [1, 2],
      [899, 2],
      [1, 3],
    ] as const) {
      later(seconds);
      await gw.get();
      expect(gw.posts.length).toBe(posts);
    }
  });
});

test('a token from before a login is not used, even if it is cached after it', async () => {
  gw.env = {};
  const login = () => gw.login({ authUrl: 'https://a.example.com', flags: ['--no-verify'] });
  await login();
  await gw.get();
  const path = join(gw.cache, 'default-production-eu.token.json');
  const before = readFileSync(path);
  await login();
  writeFileSync(path, before, { mode: 0o600 });
  expect(await gw.quick(['get'])).toBeUndefined();
  expect(await gw.get()).toBe('token-2');
});

test('without a generation, only a token of the stored client ID is used', async () => {
  const authUrl = 'https://a.example.com';
  gw.env = {};
  await gw.login({ clientId: 'new', authUrl, flags: ['--no-verify'] });
  rmSync(generationPath(gw.cache, EU));
  const entryOf = (clientId: string) => keychainEntry(authUrl, { clientId, requestedAtMs: gw.nowMs });
  putEntry(gw.cache, entryOf('old'));
  expect(await gw.quick(['get'])).toBeUndefined();
  expect((await gw.cli(['status', '--json'])).stdout).not.toContain('expires_at');
  putEntry(gw.cache, entryOf('new'));
  expect(await gw.quick(['get'])).toBe('cached-token\n');
});

test('get does not cache a token if a logout follows the keychain’s answer', async () => {
  gw.env = {};
  await gw.login({ authUrl: 'https://a.example.com', flags: ['--no-verify'] });
  let hasAnswered = false;
  const get: Keychain['get'] = async (account) => {
    const item = await gw.keychain.get(account);
    if (hasAnswered) return item;
    hasAnswered = true;
    expect(await gw.cli(['logout', '--yes', '--region', 'eu'])).toMatchObject({ code: 0 });
    return item;
  };
  gw.own = { keychain: { ...gw.keychain, get } };
  expect(await gw.get('--region', 'eu')).toBe('token-1');
  expect(readdirSync(gw.cache).filter((name) => name.endsWith('.token.json'))).toEqual([]);
});

test('client IDs, commands and auth URLs have separate tokens', async () => {
  const { env } = gw;
  gw.configure({ profiles: { acme: { 'credential-command': 'pass a', 'auth-url': 'https://b.test' } } });
  const stdout = Buffer.from('{"client_id":"of-command","client_secret":"s"}');
  gw.own = { runCredentialCommand: async () => ({ how: 'exited', code: 0, stdout }) };
  const OWNERS = [
    {},
    { GWTOKEN_CLIENT_ID: 'another' },
    { GWTOKEN_AUTH_URL: 'https://b.example.com' },
    { GWTOKEN_CLIENT_ID: '', GWTOKEN_CLIENT_SECRET: '', GWTOKEN_PROFILE: 'acme', GWTOKEN_AUTH_URL: '' },
  ];
  const expectOwnTokens = async () => {
    for (const [index, variables] of OWNERS.entries()) {
      gw.env = { ...env, ...variables };
      expect(await gw.get()).toBe(`token-${index + 1}`);
    }
  };
  await expectOwnTokens();
  await expectOwnTokens();
  expect(gw.posts).toHaveLength(OWNERS.length);
});

test('a stored client does not replace the token of variables', async () => {
  await gw.login({ clientId: 'stored', flags: ['--no-verify'] });
  expect([await gw.get(), await gw.get()]).toEqual(['token-1', 'token-1']);
});

test('--fresh requests a token and stores it for later calls', async () => {
  await gw.get();
  later(1);
  const getJson = async (...args: string[]) => JSON.parse(await gw.get('--format', 'json', ...args));
  expect(await getJson('--fresh')).toMatchObject({ access_token: 'token-2', source: 'network' });
  expect(await getJson()).toMatchObject({ access_token: 'token-2', source: 'cache' });
});
