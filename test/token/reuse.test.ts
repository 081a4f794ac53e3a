/** When gwtoken uses a cached token. See also test/sessions/text/reuse.txt. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { tokenReply } from '../harness/endpoints/token-endpoint';
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
  expect(await cacheLines()).toEqual(['gwtoken: cache: no token']);
});

test('the quick path serves a stored client whose auth URL no setting gives', async () => {
  gw.env = {};
  await gw.login({ authUrl: 'https://a.example.com', flags: ['--no-verify'] });
  gw.configure({ region: 'eu' });
  const token = await gw.get();
  const keychainCalls = gw.keychainCalls;
  expect(gw.quick(['get'])).toBe(`${token}\n`);
  expect([gw.posts.length, gw.keychainCalls]).toEqual([1, keychainCalls]);
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
  const path = join(gw.cache, readdirSync(gw.cache)[0]!);
  const before = readFileSync(path);
  await login();
  writeFileSync(path, before, { mode: 0o600 });
  expect(await gw.quick(['get'])).toBeUndefined();
  expect(await gw.get()).toBe('token-2');
});

describe('a logout while get requests a token leaves no token behind', () => {
  const tokensLeft = () => readdirSync(gw.cache).filter((name) => name.endsWith('.token.json'));
  const getWithLogout = async () => {
    gw.answer = async (post) => {
      if (post === 1) expect(await gw.cli(['logout', '--yes', '--region', 'eu'])).toMatchObject({ code: 0 });
      return tokenReply(post);
    };
    expect(await gw.get('--region', 'eu')).toBe('token-1');
    expect(tokensLeft()).toEqual([]);
  };

  test('of a stored client', async () => {
    gw.env = {};
    await gw.login({ authUrl: 'https://a.example.com', flags: ['--no-verify'] });
    await getWithLogout();
  });

  test('of a client in variables', async () => {
    await gw.login({ flags: ['--no-verify'] });
    await getWithLogout();
  });
});

test('a waiter requests a token itself if the time limit of the holder was over', async () => {
  let waiter: Promise<string> | undefined;
  gw.answer = async (post) => {
    if (post > 1) return tokenReply(post);
    waiter = gw.get();
    await new Promise((done) => setTimeout(done, 100));
    gw.nowMs++;
    throw new GwtokenError('unreached', 'no answer', [], { reason: 'timed-out' });
  };
  const { code } = await gw.cli(['get', '--retries', '0']);
  expect([code, await waiter]).toEqual([6, 'token-2']);
});

test('a request sweeps files that are over, of an older version, or left behind', async () => {
  const getAs = async (clientId: string) => {
    gw.answer = () =>
      clientId === 'refused' ? { status: 401, body: { error: 'invalid_client' } } : tokenReply(clientId);
    gw.env['GWTOKEN_CLIENT_ID'] = clientId;
    await gw.cli(['get']);
  };
  await getAs('expired');
  later(3500);
  await getAs('refused');
  await getAs('valid');
  later(200);
  const ofOlderVersion = JSON.stringify({
    owner: { authUrl: gw.env['GWTOKEN_AUTH_URL'], salt: '', fingerprint: '' },
    clientId: 'older',
    token: { accessToken: 't', tokenType: 'bearer', scope: '', requestedAtMs: gw.nowMs, lifetimeS: 9000 },
  });
  writeFileSync(join(gw.cache, 'default-production-eu.token.json'), ofOlderVersion, { mode: 0o600 });
  const left = ['lock', 'token.json.0a.tmp', 'token.json.0b.tmp', 'notes'];
  for (const name of left) {
    const path = join(gw.cache, `default-production-eu.01234567.${name}`);
    writeFileSync(path, '', { mode: 0o600 });
    if (!name.includes('0b')) utimesSync(path, 0, 0);
  }
  expect(readdirSync(gw.cache)).toHaveLength(8);
  await getAs('new');
  const kept = readdirSync(gw.cache).map((name) => readFileSync(join(gw.cache, name), 'utf8'));
  expect(kept.map((text) => /"clientId":"(.*?)"/.exec(text)?.[1] ?? text).sort()).toEqual([
    '',
    '',
    'new',
    'valid',
  ]);
});

test('--fresh requests a token and stores it for later calls', async () => {
  await gw.get();
  later(1);
  const getJson = async (...args: string[]) => JSON.parse(await gw.get('--format', 'json', ...args));
  expect(await getJson('--fresh')).toMatchObject({ access_token: 'token-2', source: 'network' });
  expect(await getJson()).toMatchObject({ access_token: 'token-2', source: 'cache' });
});
