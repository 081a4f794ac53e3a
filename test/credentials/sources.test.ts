/** Limits, encodings and variables of credential sources. See also test/sessions/text/sources.txt. */
import { beforeEach, describe, expect, test } from 'vitest';
import { formatItem } from '../../src/credentials/keychain';
import { GwtokenError, valueOrError } from '../../src/errors';
import type { CommandOptions } from '../../src/world';
import { type Inside, inside } from '../harness/homes/in-process';

const AUTH_URL = 'https://a.example.com';
const IN_CI = 'export GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help ci)';
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

/** Runs a `get` that must fail. Resolves with its exit code, error and hints. */
async function get() {
  const { code, stdout, stderr } = await gw.cli(['get']);
  expect(stdout).toBe('');
  const [error = '', ...hints] = stderr.trimEnd().split('\n');
  return {
    code,
    error: error.replace('gwtoken: error: ', ''),
    hints: hints.map((line) => line.replace('hint: ', '')),
  };
}

describe('the keychain', () => {
  test('gets keychain-timeout as the limit of each call', async () => {
    const calls: unknown[][] = [];
    gw.own = {
      keychain: {
        probe: async (limitMs) => void calls.push(['probe', limitMs]),
        async get(_, limitMs) {
          calls.push(['get', limitMs]);
          return JSON.stringify({ client_id: 'a', client_secret: 's', auth_url: AUTH_URL });
        },
        async set(_, __, limitMs) {
          calls.push(['set', limitMs]);
          return false;
        },
        async delete(_, limitMs) {
          calls.push(['delete', limitMs]);
          return 'removed';
        },
        async accounts(limitMs) {
          calls.push(['accounts', limitMs]);
          return [];
        },
      },
    };
    gw.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: AUTH_URL, GWTOKEN_KEYCHAIN_TIMEOUT: '7s' };
    await gw.login();
    await gw.get('--fresh');
    await gw.cli(['logout', '--all', '--yes']);
    expect(calls).toEqual(['probe', 'set', 'get', 'accounts', 'delete'].map((call) => [call, 7000]));
  });

  test('is reported by --verbose if it is missing in a CI job', async () => {
    const error = new GwtokenError('keychain', 'no session bus', [], { reason: 'no-keychain' });
    gw.own = { keychain: { ...gw.keychain, get: () => Promise.reject(error) } };
    gw.env = { CI: 'true', GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: AUTH_URL };
    const { code, stderr } = await gw.cli(['get', '--verbose']);
    expect(code).toBe(4);
    expect(stderr).toContain('\ngwtoken: no session bus\n');
  });

  test('accepts items of at most 2,560 bytes', () => {
    const stored = { clientId: 'id', clientSecret: '', authUrl: AUTH_URL };
    const room = 2560 - Buffer.byteLength(formatItem(stored));
    const fits = { ...stored, clientSecret: `é${'s'.repeat(room - 2)}` };
    expect(Buffer.byteLength(formatItem(fits))).toBe(2560);
    expect(valueOrError(() => formatItem({ ...fits, clientId: 'id2' }))).toMatchObject({
      kind: 'usage',
      message: 'the credentials are too long for the keychain (2561 bytes, limit 2560)',
      hints: ['use environment variables or a secret file: gwtoken help settings'],
    });
  });
});

describe('a credential command', () => {
  let printed: Buffer;
  let runs: ({ command: string } & CommandOptions)[];
  const GOOD = '{"client_id":"of-command","client_secret":"secret"}';
  beforeEach(() => {
    printed = Buffer.from(GOOD);
    runs = [];
    gw.env = { GWTOKEN_REGION: 'eu', CI: 'true' };
    gw.configure({ 'auth-url': AUTH_URL, 'credential-command': 'pass show a' });
    gw.own = {
      runCredentialCommand: async (command, options) => {
        runs.push({ command, ...options });
        return printed;
      },
    };
  });
  const where = () => `credential-command in ${gw.config}/config.json`;

  test('runs within the limits of keychain-timeout and 64 KiB', async () => {
    expect(await gw.get()).toBe('token-1');
    const form = Object.fromEntries(gw.posts[0]!.form);
    expect(form).toMatchObject({ client_id: 'of-command', client_secret: 'secret' });
    expect(runs).toMatchObject([{ command: 'pass show a', timeoutMs: 10_000, maxBytes: 65_536 }]);
    gw.env['GWTOKEN_KEYCHAIN_TIMEOUT'] = '7s';
    const { stderr } = await gw.cli(['get', '--fresh', '--verbose']);
    expect(stderr).toContain(`gwtoken: running the credential command (${where()}), with a timeout of 7 s\n`);
    expect(runs.at(-1)?.timeoutMs).toBe(7000);
  });

  test('gets a minute on a terminal, where a person may have to unlock something', async () => {
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write() {} } };
    gw.env['CI'] = '';
    await gw.cli(['get', '--fresh']);
    expect(runs[0]?.timeoutMs).toBe(60_000);
  });

  test('fails with its own reason and hint', async () => {
    const late = new GwtokenError('keychain', 'the credential command is late', ['answer its dialog']);
    gw.own = { runCredentialCommand: () => Promise.reject(late) };
    expect(await get()).toEqual({
      code: 5,
      error: `the credential command is late (from ${where()})`,
      hints: ['answer its dialog', IN_CI],
    });
  });

  test.each([
    ['UTF-16', Buffer.from(`\uFEFF${GOOD}`, 'utf16le'), 'is not JSON'],
    [
      'Latin-1',
      Buffer.from(GOOD.replace('secret"}', 's\xe9cret"}'), 'latin1'),
      'has a client_id or client_secret that is not UTF-8 text',
    ],
  ])('fails with a reason after output in %s', async (_, text, problem) => {
    printed = text;
    expect(await get()).toEqual({
      code: 5,
      error: `the credential command printed output that ${problem} (from ${where()})`,
      hints: ['it must print only {"client_id":"…","client_secret":"…"} to stdout', IN_CI],
    });
  });

  test('gets the caller’s variables and the client, but no secret', async () => {
    Object.assign(gw.env, {
      VAULT_TOKEN: 'v',
      GWTOKEN_CLIENT_ID: 'x',
      gwtoken_client_secret_eu: 'x',
      GWTOKEN_SANDBOX_CLIENT_SECRET: 'x',
      GWTOKEN_CLIENTELE: 'kept',
      MY_GWTOKEN_CLIENT_ID: 'kept',
      // Values of the caller's variables that flags override.
      GWTOKEN_REGION: 'us',
      GWTOKEN_SANDBOX: '0',
      GWTOKEN_PROFILE: 'other',
    });
    await gw.cli(['get', '--region', 'eu', '--sandbox', '--profile', 'acme']);
    const relevant = /VAULT|CLIENT|REGION|SANDBOX|PROFILE/i;
    expect(Object.fromEntries(Object.entries(runs[0]!.env).filter(([name]) => relevant.test(name)))).toEqual({
      VAULT_TOKEN: 'v',
      GWTOKEN_CLIENTELE: 'kept',
      MY_GWTOKEN_CLIENT_ID: 'kept',
      GWTOKEN_REGION: 'eu',
      GWTOKEN_SANDBOX: '1',
      GWTOKEN_PROFILE: 'acme',
    });
    await gw.cli(['get', '--region', 'eu', '--no-sandbox', '--profile', 'acme']);
    expect(runs[1]?.env).toMatchObject({ GWTOKEN_SANDBOX: '0' });
  });
});
