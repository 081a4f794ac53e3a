import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { type Inside, inside } from '../harness/homes/in-process';

/** What becomes of a failure: a cached token in its place, or the same failure for those who wait. */
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const later = (seconds: number) => {
  gw.nowMs += seconds * 1000;
};
const refuses = (kind: 'unreached' | 'bad-reply' | 'refused') => () => {
  throw new GwtokenError(kind, 'the endpoint is down');
};

describe('while the endpoint is down', () => {
  beforeEach(async () => {
    await gw.get();
    later(3590);
  });

  test.each(['unreached', 'bad-reply'] as const)(
    '(%s) a token with 10 s left is given, with a warning',
    async (kind) => {
      gw.answer = refuses(kind);
      expect(await gw.cli(['get', '--retries', '0'])).toEqual({
        code: 0,
        stdout: 'token-1\n',
        stderr: 'gwtoken: warning: the endpoint is down; using the cached token (10 s left)\n',
      });
    },
  );

  test('one with less left is not', async () => {
    later(1);
    gw.answer = refuses('unreached');
    expect(await gw.cli(['get', '--retries', '0'])).toMatchObject({ code: 6, stdout: '' });
  });

  test.each([
    ['--fresh', ['--fresh'], {}],
    ['--min-ttl', ['--min-ttl', '20s'], {}],
    ['GWTOKEN_MIN_TTL', [], { GWTOKEN_MIN_TTL: '20s' }],
  ])('%s forbids it', async (_, args, more) => {
    Object.assign(gw.env, more);
    gw.answer = refuses('unreached');
    expect(await gw.cli(['get', '--retries', '0', ...args])).toMatchObject({ code: 6, stdout: '' });
  });

  test('that of other credentials is not', async () => {
    gw.env['GWTOKEN_CLIENT_SECRET'] = 'another';
    gw.answer = refuses('unreached');
    expect(await gw.cli(['get', '--retries', '0'])).toMatchObject({ code: 6, stdout: '' });
  });

  test('a refusal is no outage: nothing is served for it', async () => {
    gw.answer = refuses('refused');
    expect(await gw.cli(['get'])).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('what one that asks leaves for those who wait', () => {
  /** Two calls, the second of which waits for the first, whose request ends in this failure. */
  async function two(kind: 'usage' | 'local' | 'refused' | 'unreached') {
    let fail = () => {};
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    gw.answer = async (post) => {
      if (post > 1)
        return { body: { access_token: `token-${post}`, token_type: 'bearer', expires_in: 3600 } };
      await failed;
      throw new GwtokenError(kind, 'it failed', { hints: ['do this'] });
    };
    const first = gw.cli(['get', '--retries', '0']);
    while (gw.posts.length === 0) await sleep(5);
    const waits = new Promise<void>((resolve) => {
      gw.own.trace = (line) => line.startsWith('waiting for') && resolve();
    });
    const second = gw.cli(['get', '--retries', '0']);
    await waits;
    fail();
    return Promise.all([first, second]);
  }

  test.each(['refused', 'unreached'] as const)('is its failure (%s), and hints of its own', async (kind) => {
    const own =
      kind === 'refused' ? 'hint: credentials used: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET\n' : '';
    const [first, second] = await two(kind);
    expect(first.stderr).toMatch(/^gwtoken: error: it failed\nhint: do this\n/);
    expect(second).toEqual({
      ...first,
      stderr: `gwtoken: error: it failed\n${own}hint: another gwtoken process made this request; to make your own and see details, use --no-cache\n`,
    });
    expect(gw.posts.length).toBe(1);
  });

  test.each([
    ['usage', 2],
    ['local', 1],
  ] as const)('is not a fault of its own flags, files or disk (%s)', async (kind, code) => {
    const [first, second] = await two(kind);
    expect(first).toMatchObject({ code, stdout: '' });
    expect(second).toEqual({ code: 0, stdout: 'token-2\n', stderr: '' });
  });
});
