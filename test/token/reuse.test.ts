import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { entryIn } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

/** When a token is used again and when it is not, with a clock and an endpoint of the test's. */
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const entry = () => entryIn(gw.cache);
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
  expect(await cacheLines()).toEqual(['gwtoken: cache: the token has only 200 s left']);
  gw.env['GWTOKEN_CLIENT_SECRET'] = 'another';
  expect(await cacheLines()).toEqual([
    'gwtoken: cache: the token is for other credentials or another auth URL',
  ]);
});

test('--verbose of who has waited for another says what is in the cache then', async () => {
  let reply = () => {};
  const asked = new Promise<void>((resolve) => {
    reply = resolve;
  });
  gw.answer = async (post) => {
    await asked;
    return tokenReply(post);
  };
  const first = gw.cli(['get']);
  while (gw.posts.length === 0) await sleep(5);
  const lines: string[] = [];
  const waits = new Promise<void>((resolve) => {
    const write = (line: string) => {
      lines.push(line);
      if (line.startsWith('gwtoken: waiting for')) resolve();
    };
    gw.own = { stderr: { isTTY: () => false, write } };
  });
  const second = gw.cli(['get', '--verbose']);
  await waits;
  reply();
  expect([await first, await second]).toMatchObject([{ stdout: 'token-1\n' }, { stdout: 'token-1\n' }]);
  expect(lines.slice(-3)).toEqual([
    'gwtoken: cache: no token\n',
    'gwtoken: waiting for another gwtoken process to get this token\n',
    'gwtoken: cache: using a token with 3600 s left\n',
  ]);
});

describe('a token is used again', () => {
  test('until less than the minimum life is left: 300 s, or a fifth of a short life', async () => {
    expect(await gw.get()).toBe('token-1');
    later(3299);
    expect(await gw.get()).toBe('token-1');
    later(1);
    expect(await gw.get()).toBe('token-2');

    gw.answer = (post) => ({ body: { access_token: `token-${post}`, token_type: 'bearer', expires_in: 50 } });
    expect(await gw.get('--fresh')).toBe('token-3');
    later(39);
    expect(await gw.get()).toBe('token-3');
    later(1);
    expect(await gw.get()).toBe('token-4');
  });

  test('as --min-ttl, the variable or the config says', async () => {
    await gw.get();
    later(1800);
    expect(await gw.get('--min-ttl', '29m')).toBe('token-1');
    expect(await gw.get('--min-ttl', '30m')).toBe('token-2');
    later(1800);
    gw.env['GWTOKEN_MIN_TTL'] = '30m';
    expect(await gw.get()).toBe('token-3');
    expect(gw.posts.length).toBe(3);
  });

  test('not when it must live longer than any does: that is an error, after one request', async () => {
    const { code, stdout, stderr } = await gw.cli(['get', '--min-ttl', '2h']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: tokens from this endpoint last 1 h; --min-ttl must be less\n/);
    expect(gw.posts.length).toBe(1);
    // The token is good for whoever asks for less.
    expect(await gw.get()).toBe('token-1');
    expect(gw.posts.length).toBe(1);
  });

  test('the config’s min-ttl is a wish: a token that cannot meet it is given all the same', async () => {
    gw.configure('{"min-ttl":"2h"}');
    expect(await gw.get()).toBe('token-1');
  });

  test('not after the clock was set back', async () => {
    await gw.get();
    later(-7200);
    expect(await gw.get()).toBe('token-2');
    later(3600);
    expect(gw.quick(['get'])).toBeUndefined();
    // A second is enough: status tells of no token that get would not use.
    const { stdout } = await gw.cli(['get', '--fresh', '--format', 'json']);
    const cached = async () => JSON.parse((await gw.cli(['status', '--json'])).stdout).clients[0].token;
    expect(await cached()).toMatchObject({ expires_at: JSON.parse(stdout).expires_at });
    later(-1);
    expect(await cached()).toBeNull();
  });

  test('not without a lifetime: it is printed, and no file is written', async () => {
    gw.answer = (post) => ({ body: { access_token: `token-${post}`, token_type: 'bearer' } });
    expect(await gw.get()).toBe('token-1');
    expect(existsSync(entry())).toBe(false);
    expect(JSON.parse(await gw.get('--format', 'json'))).toMatchObject({
      expires_in: null,
      expires_at: null,
    });
    expect((await gw.cli(['get', '--min-ttl', '1s'])).code).toBe(7);
  });

  test('the one that the endpoint gives again and again is asked for when half of what is left has passed', async () => {
    const expiresAtMs = gw.nowMs + 3_600_000;
    gw.answer = () => ({
      body: {
        access_token: 'ageing',
        token_type: 'bearer',
        expires_in: Math.max(1, Math.round((expiresAtMs - gw.nowMs) / 1000)),
      },
    });
    gw.env['GWTOKEN_MIN_TTL'] = '';
    gw.configure('{"min-ttl":"30m"}');
    await gw.get();
    later(2600);
    await gw.get();
    expect(gw.posts.length).toBe(2);
    later(499);
    await gw.get();
    expect(gw.posts.length).toBe(2);
    later(1);
    await gw.get();
    expect(gw.posts.length).toBe(3);
    // --fresh asks once, whatever is known of it.
    await gw.get('--fresh');
    expect(gw.posts.length).toBe(4);
    // Five seconds at least, even when less than ten are left.
    later(491);
    await gw.get();
    expect(gw.posts.length).toBe(5);
    later(4);
    await gw.get();
    expect(gw.posts.length).toBe(5);
    later(1);
    await gw.get();
    expect(gw.posts.length).toBe(6);
  });
});

test('a token of variables is used again, whatever client is stored beside it', async () => {
  gw.stdin = 'a secret';
  const stored = await gw.cli(['login', '--client-id', 'stored', '--secret-stdin', '--no-verify']);
  expect(stored).toMatchObject({ code: 0 });
  expect([await gw.get(), await gw.get()]).toEqual(['token-1', 'token-1']);
});

describe('--fresh and --no-cache', () => {
  test('--fresh asks, and keeps what it got for the others', async () => {
    await gw.get();
    later(1);
    expect(await gw.get('--fresh')).toBe('token-2');
    expect(await gw.get()).toBe('token-2');
    expect(gw.posts.length).toBe(2);
  });

  test.each([['--no-cache'], ['GWTOKEN_NO_CACHE'], ['cache']])(
    '%s reads nothing and writes nothing',
    async (how) => {
      const args = how === '--no-cache' ? [how] : [];
      if (how === 'GWTOKEN_NO_CACHE') gw.env[how] = '1';
      if (how === 'cache') gw.configure('{"cache":"off"}');
      expect(await gw.get(...args)).toBe('token-1');
      expect(await gw.get(...args)).toBe('token-2');
      expect(existsSync(gw.cache)).toBe(false);
    },
  );
});
