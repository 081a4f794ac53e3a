/** Hints, the trace, and remembered refusals. See also test/sessions/text/reuse.txt. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { ReaderGone } from '../../src/signals';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type Inside, inside } from '../harness/homes/in-process';
import { noting } from '../harness/homes/plain-terminal';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const AUTH_URL = 'https://a.example.com';
/** Selects a client in the keychain that login did not store. */
const inKeychain = () => {
  gw.configure({ 'auth-url': AUTH_URL });
  gw.env = { GWTOKEN_REGION: 'eu' };
  const item = { client_id: 'id', client_secret: 's', auth_url: AUTH_URL };
  gw.items.set('default:production:eu', JSON.stringify(item));
};
/** Selects a client of a credential command. */
const byCommand = () => {
  gw.configure({ 'auth-url': AUTH_URL, 'credential-command': 'pass show a' });
  gw.env = { GWTOKEN_REGION: 'eu' };
  const stdout = Buffer.from('{"client_id":"of-command","client_secret":"s"}');
  gw.own = { ...gw.own, runCredentialCommand: async () => stdout };
};

test('--verbose reports each step to a token', async () => {
  gw.nowMs = Date.UTC(2030, 0, 1);
  const now = '2030-01-01T00:00:00Z';
  const { code, stderr } = await gw.cli(['get', '--verbose']);
  expect(code).toBe(0);
  expect(stderr.replace(/^gwtoken: version .*\n/, '')).toBe(`gwtoken: region: eu (GWTOKEN_REGION)
gwtoken: environment: production (default)
gwtoken: profile: default (default)
gwtoken: auth URL: https://a.example.com (GWTOKEN_AUTH_URL)
gwtoken: timeout: 10 s (default)
gwtoken: retries: 2 (default)
gwtoken: cache: on (default)
gwtoken: cache: no token
gwtoken: credentials from GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET
gwtoken: POST https://a.example.com/oauth2/token: 200 after 0 ms
gwtoken: the endpoint's clock: ${now}, this machine's: ${now}
`);
});

test('a spinner shows the request, unless a command may prompt', async () => {
  const labels: string[] = [];
  gw.own = { terminal: noting(labels) as never };
  expect(await gw.get()).toBe('token-1');
  expect(labels).toEqual(['requesting a token']);
  byCommand();
  expect(await gw.get()).toBe('token-2');
  expect(labels).toHaveLength(1);
});

test('get warns once of an untrusted cache', async ({ needs }) => {
  needs('posix');
  await gw.get();
  chmodSync(gw.cache, 0o777);
  const warning = `gwtoken: warning: token cache ignored: ${gw.cache} is accessible to other users (mode 777); run: chmod 700 ${gw.cache}\n`;
  expect(await gw.cli(['get'])).toEqual({ code: 0, stdout: 'token-2\n', stderr: warning });
});

test('get reports a cache that cannot be written only with --verbose', async ({ needs }) => {
  needs('posix');
  gw.env['GWTOKEN_CACHE_DIR'] = '/dev/null/cache';
  expect(await gw.cli(['get'])).toEqual({ code: 0, stdout: 'token-1\n', stderr: '' });
  const { stdout, stderr } = await gw.cli(['get', '--verbose']);
  expect(stdout).toBe('token-2\n');
  expect(stderr).toContain('gwtoken: cache: cannot write the token (not a directory)\n');
});

test('a warning masks secrets', async ({ needs }) => {
  needs('posix');
  gw.env['GWTOKEN_CLIENT_SECRET'] = 'canary-s3cret';
  gw.env['GWTOKEN_CACHE_DIR'] = `${gw.cache}/canary-s3cret`;
  mkdirSync(gw.env['GWTOKEN_CACHE_DIR'], { recursive: true });
  chmodSync(gw.env['GWTOKEN_CACHE_DIR'], 0o777);
  const { stderr } = await gw.cli(['get']);
  expect(stderr).toContain(`token cache ignored: ${gw.cache}/***`);
});

test('get ignores a closed stderr', async ({ needs }) => {
  needs('posix');
  mkdirSync(gw.cache, { recursive: true });
  chmodSync(gw.cache, 0o777);
  const write = () => {
    throw new ReaderGone();
  };
  gw.own = { stderr: { isTTY: () => false, write } };
  expect(await gw.get()).toBe('token-1');
  expect(await gw.get('--verbose')).toBe('token-2');
});

test('the error of an unusable CA file names its source', async () => {
  gw.env['GWTOKEN_CA_FILE'] = '/ca.pem';
  gw.answer = () => {
    throw new GwtokenError('usage', 'no such CA file: /ca.pem', ['pass another'], { reason: 'ca-file' });
  };
  const message = 'no such CA file: /ca.pem (from GWTOKEN_CA_FILE)';
  const failed = {
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`gwtoken: error: ${message}\nhint: `),
  };
  expect(await gw.cli(['get'])).toEqual(failed);
  expect((await gw.cli(['doctor'])).stdout).toContain(`\nFAIL request           ${message}\n`);
});

describe('a remembered refusal', () => {
  const refused = async (args: readonly string[] = []) => {
    const { code, stderr } = await gw.cli(['get', ...args]);
    expect(code).toBe(3);
    return stderr.split('\n')[0];
  };
  beforeEach(async () => {
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    await refused();
    expect(gw.posts).toHaveLength(1);
  });

  test.each([['--fresh'], ['--no-cache']])('is ignored with %s', async (...args) => {
    await refused(args);
    expect(gw.posts).toHaveLength(2);
  });

  test('is ignored if the clock was set back', async () => {
    gw.nowMs -= 1000;
    await refused();
    expect(gw.posts).toHaveLength(2);
  });

  test('is repeated without asking the keychain', async () => {
    inKeychain();
    await refused();
    const { keychainCalls } = gw;
    expect(await refused()).toContain('not asked again for 30 s');
    expect(gw.keychainCalls).toBe(keychainCalls);
  });

  test('is removed by a login', async () => {
    inKeychain();
    await refused();
    await refused();
    expect(gw.posts).toHaveLength(2);
    gw.answer = () => tokenReply('new');
    await gw.login({ authUrl: AUTH_URL, flags: ['--no-verify'] });
    expect(await gw.get()).toBe('new');
  });
});

test('get works with an unreadable clients.json if a variable gives the auth URL', async () => {
  gw.env = { GWTOKEN_AUTH_URL: AUTH_URL };
  await gw.login({ authUrl: AUTH_URL, flags: ['--no-verify'] });
  writeFileSync(join(gw.config, 'clients.json'), '{');
  const token = await gw.get();
  expect([await gw.get(), await gw.quick(['get'])]).toEqual([token, `${token}\n`]);
});
