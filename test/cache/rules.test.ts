import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { entryPath } from '../../src/system/token-cache';
import { clientHome, EU, keychainEntry, putEntry } from './client-home';
import { type Inside, inside, MACHINE } from './in-process';
import { startScriptedEndpoint, tokenReply } from './scripted-endpoint';

/** When a token is used again and when it is not (contract section 7), with a clock and an endpoint of the test's. */
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {
    GWTOKEN_REGION: 'eu',
    GWTOKEN_AUTH_URL: 'https://a.example.com',
    GWTOKEN_CLIENT_ID: 'client',
    GWTOKEN_CLIENT_SECRET: 'secret',
  };
});
afterEach(() => gw.remove());

const entry = () => entryPath(gw.cache, EU, MACHINE);
const later = (seconds: number) => {
  gw.nowMs += seconds * 1000;
};
/** What `get` prints; it has to succeed without a word on stderr. */
async function get(...args: string[]): Promise<string> {
  const ended = await gw.cli(['get', ...args]);
  expect(ended).toEqual({ code: 0, stdout: ended.stdout, stderr: '' });
  return ended.stdout.trim();
}
const refuses = (kind: 'unreached' | 'bad-reply' | 'refused') => () => {
  throw new GwtokenError(kind, 'the endpoint is down');
};

describe('a token is used again', () => {
  test('until less than the minimum life is left: 300 s, or a fifth of a short life', async () => {
    expect(await get()).toBe('token-1');
    later(3299);
    expect(await get()).toBe('token-1');
    later(1);
    expect(await get()).toBe('token-2');

    gw.answer = (post) => ({ body: { access_token: `token-${post}`, token_type: 'bearer', expires_in: 50 } });
    expect(await get('--fresh')).toBe('token-3');
    later(39);
    expect(await get()).toBe('token-3');
    later(1);
    expect(await get()).toBe('token-4');
  });

  test('as --min-ttl, the variable or the config says', async () => {
    await get();
    later(1800);
    expect(await get('--min-ttl', '29m')).toBe('token-1');
    expect(await get('--min-ttl', '30m')).toBe('token-2');
    later(1800);
    gw.env['GWTOKEN_MIN_TTL'] = '30m';
    expect(await get()).toBe('token-3');
    expect(gw.posts.length).toBe(3);
  });

  test('not when it must live longer than any does: that is an error, after one request', async () => {
    const { code, stdout, stderr } = await gw.cli(['get', '--min-ttl', '2h']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: .*3600 s.*--min-ttl.*7200 s\n/);
    expect(gw.posts.length).toBe(1);
    // The token is good for whoever asks for less.
    expect(await get()).toBe('token-1');
    expect(gw.posts.length).toBe(1);
  });

  test('the config’s min-ttl is a wish: a token that cannot meet it is given all the same', async () => {
    mkdirSync(gw.config, { recursive: true, mode: 0o700 });
    writeFileSync(`${gw.config}/config.json`, '{"min-ttl":"2h"}', { mode: 0o600 });
    expect(await get()).toBe('token-1');
  });

  test('not after the clock was set back', async () => {
    await get();
    later(-7200);
    expect(await get()).toBe('token-2');
    later(3600);
    expect(gw.quick(['get'])).toBeUndefined();
  });

  test('not without a lifetime: it is printed, and no file is written', async () => {
    gw.answer = (post) => ({ body: { access_token: `token-${post}`, token_type: 'bearer' } });
    expect(await get()).toBe('token-1');
    expect(existsSync(entry())).toBe(false);
    expect(JSON.parse(await get('--format', 'json'))).toMatchObject({ expires_in: null, expires_at: null });
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
    mkdirSync(gw.config, { recursive: true, mode: 0o700 });
    writeFileSync(`${gw.config}/config.json`, '{"min-ttl":"30m"}', { mode: 0o600 });
    await get();
    later(2600);
    await get();
    expect(gw.posts.length).toBe(2);
    later(499);
    await get();
    expect(gw.posts.length).toBe(2);
    later(1);
    await get();
    expect(gw.posts.length).toBe(3);
    // --fresh asks once, whatever is known of it.
    await get('--fresh');
    expect(gw.posts.length).toBe(4);
    // Five seconds at least, even when less than ten are left.
    later(491);
    await get();
    expect(gw.posts.length).toBe(5);
    later(4);
    await get();
    expect(gw.posts.length).toBe(5);
    later(1);
    await get();
    expect(gw.posts.length).toBe(6);
  });
});

describe('--fresh and --no-cache', () => {
  test('--fresh asks, and keeps what it got for the others', async () => {
    await get();
    later(1);
    expect(await get('--fresh')).toBe('token-2');
    expect(await get()).toBe('token-2');
    expect(gw.posts.length).toBe(2);
  });

  test.each([['--no-cache'], ['GWTOKEN_NO_CACHE'], ['cache']])(
    '%s reads nothing and writes nothing',
    async (how) => {
      const args = how === '--no-cache' ? [how] : [];
      if (how === 'GWTOKEN_NO_CACHE') gw.env[how] = '1';
      if (how === 'cache') {
        mkdirSync(gw.config, { recursive: true, mode: 0o700 });
        writeFileSync(`${gw.config}/config.json`, '{"cache":"off"}', { mode: 0o600 });
      }
      expect(await get(...args)).toBe('token-1');
      expect(await get(...args)).toBe('token-2');
      expect(existsSync(gw.cache)).toBe(false);
    },
  );
});

describe('while the endpoint is down', () => {
  beforeEach(async () => {
    await get();
    later(3590);
  });

  test.each(['unreached', 'bad-reply'] as const)(
    '(%s) a token with 10 s left is given, with a warning',
    async (kind) => {
      gw.answer = refuses(kind);
      expect(await gw.cli(['get', '--retries', '0'])).toEqual({
        code: 0,
        stdout: 'token-1\n',
        stderr: 'gwtoken: warning: the endpoint is down; the cached token, valid for 10 s more, is used\n',
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

  test('a refusal is no outage: nothing is served for it', async () => {
    gw.answer = refuses('refused');
    expect(await gw.cli(['get'])).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('what one that asks leaves for those who wait', () => {
  /** Two calls, the second of which waits for the first, whose request ends in this failure. */
  async function two(kind: 'usage' | 'refused' | 'unreached') {
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
    const second = gw.cli(['get', '--retries', '0']);
    await sleep(200);
    fail();
    return Promise.all([first, second]);
  }

  test.each(['refused', 'unreached'] as const)('is its failure (%s), word by word', async (kind) => {
    const [first, second] = await two(kind);
    expect(second).toEqual(first);
    expect(second.stderr).toMatch(/^gwtoken: error: it failed\nhint: do this\n/);
    expect(gw.posts.length).toBe(1);
  });

  test('is not a fault of its own flags or files', async () => {
    const [first, second] = await two('usage');
    expect(first).toMatchObject({ code: 2, stdout: '' });
    expect(second).toEqual({ code: 0, stdout: 'token-2\n', stderr: '' });
  });
});

describe('a token belongs to its credentials and address', () => {
  test('a changed secret, id or address is a miss', async () => {
    await get();
    for (const change of [
      { GWTOKEN_CLIENT_SECRET: 'changed' },
      { GWTOKEN_CLIENT_ID: 'other' },
      { GWTOKEN_AUTH_URL: 'https://b.example.com' },
    ]) {
      const before = gw.posts.length;
      Object.assign(gw.env, change);
      expect(gw.quick(['get'])).toBeUndefined();
      await get();
      expect(gw.posts.length).toBe(before + 1);
      expect(gw.quick(['get'])).toBe(`token-${before + 1}\n`);
    }
  });

  test('the secret is not in the file, nor a digest of it that is the same twice', async () => {
    await get();
    const first = JSON.parse(readFileSync(entry(), 'utf8'));
    await get('--fresh');
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
    await get();
    const item = { client_id: 'stored', client_secret: 's', auth_url: 'https://a.example.com' };
    gw.items.set('default:production:eu', JSON.stringify(item));
    const { GWTOKEN_CLIENT_ID, GWTOKEN_CLIENT_SECRET, ...keychainOnly } = gw.env;
    gw.env = keychainOnly;
    expect(await get()).toBe('token-2');
    expect(gw.keychainCalls).toBe(1);
    expect(await get()).toBe('token-2');
    expect(gw.keychainCalls).toBe(1);
    gw.env = {
      ...keychainOnly,
      GWTOKEN_CLIENT_ID: GWTOKEN_CLIENT_ID!,
      GWTOKEN_CLIENT_SECRET: GWTOKEN_CLIENT_SECRET!,
    };
    expect(await get()).toBe('token-3');
    expect(gw.posts.map(({ form }) => form.get('client_id'))).toEqual(['client', 'stored', 'client']);
  });

  test('login drops it: the next call asks with what was stored', async () => {
    const { GWTOKEN_CLIENT_ID, GWTOKEN_CLIENT_SECRET, ...keychainOnly } = gw.env;
    gw.env = keychainOnly;
    const login = ['login', '--client-id', 'first', '--secret-stdin', '--auth-url', 'https://a.example.com'];
    gw.stdin = 'one';
    expect(await gw.cli(login)).toMatchObject({ code: 0, stdout: '' });
    expect(await get()).toBe('token-2');
    gw.stdin = 'two';
    expect(await gw.cli(login.with(2, 'second'))).toMatchObject({ code: 0, stdout: '' });
    expect(await get()).toBe('token-4');
    expect(gw.posts.map(({ form }) => form.get('client_id'))).toEqual(['first', 'first', 'second', 'second']);
  });

  test('logout drops it, of this client alone', async () => {
    const item = { client_id: 'stored', client_secret: 's', auth_url: 'https://a.example.com' };
    gw.items.set('default:production:eu', JSON.stringify(item));
    await get('--sandbox');
    await get();
    expect(await gw.cli(['logout'])).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(gw.cache).filter((file) => file.endsWith('.json'))).toEqual([
      'token-default-sandbox-eu.json',
    ]);
  });

  test('config set credential-command drops them, with --profile those of that profile', async () => {
    await get();
    await get('--region', 'us');
    gw.env['GWTOKEN_PROFILE'] = 'acme';
    await get();
    const left = () => readdirSync(gw.cache).filter((file) => file.endsWith('.json'));
    expect(left().length).toBe(3);
    const set = ['config', 'set', 'credential-command', 'true'];
    expect(await gw.cli([...set, '--profile', 'acme'])).toMatchObject({ code: 0 });
    expect(left()).toEqual(['token-default-production-eu.json', 'token-default-production-us.json']);
    expect(await gw.cli(set)).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
  });
});

describe('the files', () => {
  test.skipIf(process.platform === 'win32')('are for the user alone, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await get();
    } finally {
      process.umask(umask);
    }
    expect((statSync(gw.cache).mode & 0o777).toString(8)).toBe('700');
    const modes = readdirSync(gw.cache).map((file) =>
      (statSync(`${gw.cache}/${file}`).mode & 0o777).toString(8),
    );
    expect(modes.length).toBeGreaterThan(0);
    for (const mode of modes) expect(mode).toBe('600');
  });

  test('that killed writers left are swept a minute later, others are not', async () => {
    await get();
    const old = ['token-default-production-eu.json.abc.tmp', '.lock-id.0123456789ab.tmp'];
    const kept = ['token-default-production-us.json.def.tmp', 'token-notes.txt', 'other.tmp'];
    for (const file of [...old, ...kept]) writeFileSync(`${gw.cache}/${file}`, '');
    const past = new Date(Date.now() - 61_000);
    for (const file of [...old, 'token-notes.txt', 'other.tmp'])
      utimesSync(`${gw.cache}/${file}`, past, past);
    await get('--fresh');
    const left = readdirSync(gw.cache);
    for (const file of old) expect(left).not.toContain(file);
    for (const file of kept) expect(left).toContain(file);
  });

  test.each(['', 'x', '{}', 'null', '[]', '{"version":1}', '\0'.repeat(100), 'x'.repeat(300_000)])(
    'with anything else in them are a miss (%#)',
    async (text) => {
      await get();
      writeFileSync(entry(), text);
      expect(gw.quick(['get'])).toBeUndefined();
      expect(await get()).toBe('token-2');
      expect(await get()).toBe('token-2');
    },
  );

  test('each member of an entry is looked at', async () => {
    await get();
    const whole = JSON.parse(readFileSync(entry(), 'utf8'));
    const spoilt = [
      { access_token: '' },
      { access_token: 'a\nb' },
      { token_type: 1 },
      { scope: null },
      { requested_at_ms: '0' },
      { lifetime_s: null },
      { source: null },
      { source: { kind: 'variables' } },
      { source: { kind: 'other' } },
      { client_id: 1 },
      { auth_url: {} },
      { version: 2 },
    ];
    for (const change of spoilt) {
      writeFileSync(entry(), JSON.stringify({ ...whole, ...change }));
      expect(gw.quick(['get'])).toBeUndefined();
    }
    writeFileSync(entry(), JSON.stringify({ ...whole, refresh_token: 'of a later version' }));
    expect(gw.quick(['get'])).toBe('token-1\n');
  });
});

test.skipIf(process.platform === 'win32')(
  'a secret from a pipe can be read only once, and that is enough',
  async () => {
    const endpoint = await startScriptedEndpoint((post) => tokenReply(post));
    const client = clientHome(endpoint.authUrl);
    // The quick way looks at an entry and reads the secret for it; then it is the CLI's turn.
    putEntry(client, keychainEntry(endpoint.authUrl));
    const pipe = `${client.home.dir}/pipe`;
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', `printf 'piped\\n' > '${pipe}'`]);
    try {
      const env = { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: pipe };
      expect(await client.gwtoken(['get'], { env })).toMatchObject({
        code: 0,
        stdout: 'token-1\n',
        stderr: '',
      });
      expect(endpoint.posts[0]?.get('client_secret')).toBe('piped');
    } finally {
      writer.kill();
      await endpoint.close();
      client.home.remove();
    }
  },
);
