/** A cached token: when it is used again, and when a new one is requested. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ErrorKind, GwtokenError } from '../../src/errors';
import { generationPath } from '../../src/system/files/token-cache';
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

test('--verbose says once what was in the cache, however often gwtoken looks', async () => {
  const cacheLines = async (...args: string[]) => {
    const { stderr } = await gw.cli(['get', '-v', ...args]);
    return stderr.split('\n').filter((line) => /cache: (?!on )/.test(line));
  };
  expect(await cacheLines()).toEqual(['gwtoken: cache: no token']);
  expect(await cacheLines()).toEqual(['gwtoken: cache: using a token with 3600 s left']);
  later(3400);
  expect(await cacheLines()).toEqual(['gwtoken: cache: not using a token with 200 s left']);
  // A clock that was set back says nothing of the token's age.
  for (const seconds of [3700, -1]) {
    later(seconds);
    expect(await cacheLines()).toEqual(['gwtoken: cache: not using a token with 0 s left']);
  }
  gw.env['GWTOKEN_CLIENT_SECRET'] = 'another';
  expect(await cacheLines()).toEqual(['gwtoken: cache: a token for other credentials or another auth URL']);
});

describe('a token is used again', () => {
  test('as --min-ttl, the variable or the config says', async () => {
    await gw.get();
    later(1800);
    expect(await gw.get('--min-ttl', '29m')).toBe('token-1');
    expect(await gw.get('--min-ttl', '30m')).toBe('token-2');
    later(1800);
    gw.env['GWTOKEN_MIN_TTL'] = '30m';
    expect(await gw.get()).toBe('token-3');
  });

  test('not if a new one has less than --min-ttl left: that is an error, after one request', async () => {
    gw.answer = (post) => tokenReply(post, { expires_in: 30 });
    const error = 'gwtoken: error: --min-ttl 30s is too long: the token from the endpoint has 30 s left\n';
    const stderr = `${error}hint: lower --min-ttl\n`;
    expect(await gw.cli(['get', '--min-ttl', '30s'])).toEqual({ code: 7, stdout: '', stderr });
    // The token is good for whoever asks for less.
    expect(await gw.get('--min-ttl', '29s')).toBe('token-1');
    expect(gw.posts.length).toBe(1);
  });

  test('not without a lifetime: it is printed, and no file is written', async () => {
    gw.answer = (post) => tokenReply(post, { expires_in: undefined });
    expect(await gw.get()).toBe('token-1');
    expect(readdirSync(gw.cache)).toEqual([]);
    const { code, stderr } = await gw.cli(['get', '--min-ttl', '1s']);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /: this endpoint does not say .* last; --min-ttl requires it\nhint: omit --min-ttl\n$/,
    );
  });

  test('until half of its lifetime at least, where the config has min-ttl: the endpoint may give it again', async () => {
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

describe('while the endpoint is down', () => {
  const fails = async (kind: ErrorKind, ...args: string[]) => {
    gw.answer = () => {
      throw new GwtokenError(kind, 'the endpoint is down');
    };
    return await gw.cli(['get', '--retries', '0', ...args]);
  };
  beforeEach(async () => {
    await gw.get();
    later(3590);
  });

  test.each(['unreached', 'bad-reply'] as const)(
    '(%s) a token with 10 s left is given, with a warning',
    async (kind) => {
      expect(await fails(kind)).toEqual({
        code: 0,
        stdout: 'token-1\n',
        stderr: 'gwtoken: warning: the endpoint is down; using the cached token (10 s left)\n',
      });
    },
  );

  test.each<[string, string[], Record<string, string>]>([
    ['--fresh', ['--fresh'], {}],
    ['--min-ttl', ['--min-ttl', '20s'], {}],
    ['GWTOKEN_MIN_TTL', [], { GWTOKEN_MIN_TTL: '20s' }],
    ['another secret', [], { GWTOKEN_CLIENT_SECRET: 'another' }],
  ])('%s forbids it', async (by, args, more) => {
    Object.assign(gw.env, more);
    const { code, stdout, stderr } = await fails('unreached', ...args);
    expect([code, stdout]).toEqual([6, '']);
    const hint = 'hint: the cached token is valid for 10 s more: use --min-ttl 1s';
    expect(stderr.includes(hint)).toBe(/min.ttl/i.test(by));
  });

  test('one with less left is not', async () => {
    later(1);
    expect(await fails('unreached')).toMatchObject({ code: 6, stdout: '' });
  });

  test('none is for a refusal', async () => {
    expect(await fails('refused')).toMatchObject({ code: 3, stdout: '' });
  });
});

test('a token of the client before a login is not used, even where no generation tells of the login', async () => {
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

test('client IDs, commands and auth URLs of one user keep each other’s tokens', async () => {
  const { env } = gw;
  gw.configure({ profiles: { acme: { 'credential-command': 'pass a', 'auth-url': 'https://b.test' } } });
  const stdout = Buffer.from('{"client_id":"of-command","client_secret":"s"}');
  gw.own = { runCredentialCommand: async () => ({ how: 'exited', code: 0, stdout }) };
  for (const _ of ['first', 'second'])
    for (const [n, more] of [
      {},
      { GWTOKEN_CLIENT_ID: 'another' },
      { GWTOKEN_AUTH_URL: 'https://b.example.com' },
      { GWTOKEN_CLIENT_ID: '', GWTOKEN_CLIENT_SECRET: '', GWTOKEN_PROFILE: 'acme', GWTOKEN_AUTH_URL: '' },
    ].entries()) {
      gw.env = { ...env, ...more };
      expect(await gw.get()).toBe(`token-${n + 1}`);
    }
});

test('a token of variables is used again, whatever client is stored beside it', async () => {
  await gw.login({ clientId: 'stored', flags: ['--no-verify'] });
  expect([await gw.get(), await gw.get()]).toEqual(['token-1', 'token-1']);
});

describe('--fresh and --no-cache', () => {
  test('--fresh asks, and keeps what it got for the others', async () => {
    await gw.get();
    later(1);
    for (const [args, source] of [
      [['--fresh'], 'network'],
      [[], 'cache'],
    ] as const)
      expect(JSON.parse(await gw.get('--format', 'json', ...args))).toMatchObject({
        access_token: 'token-2',
        source,
      });
  });

  test('--no-cache reads nothing and writes nothing', async () => {
    for (const token of ['token-1', 'token-2']) expect(await gw.get('--no-cache')).toBe(token);
    expect(existsSync(gw.cache)).toBe(false);
  });
});
