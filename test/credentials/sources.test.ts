/** The sources of credentials, what each may hold, and what is said where it fails: in this process. */
import { beforeEach, describe, expect, test } from 'vitest';
import { formatItem } from '../../src/credentials/keychain-item';
import { GwtokenError, type Reason, valueOrError } from '../../src/errors';
import type { CommandEnd } from '../../src/world';
import { type Ended, type Inside, inside } from '../harness/homes/in-process';

const AUTH_URL = 'https://a.example.com';
const INSTEAD = 'or set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU (gwtoken help keychain)';
const IN_CI = 'set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU (gwtoken help ci)';
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

/** What get says when it fails: the code, the sentence, the hints. */
function told({ code, stdout, stderr }: Ended) {
  expect(stdout).toBe('');
  const [error = '', ...hints] = stderr.trimEnd().split('\n');
  return {
    code,
    error: error.replace('gwtoken: error: ', ''),
    hints: hints.map((line) => line.replace('hint: ', '')),
  };
}
const get = async (...args: string[]) => told(await gw.cli(['get', ...args]));
const form = () => Object.fromEntries(gw.posts.at(-1)?.form ?? []);

describe('variables', () => {
  const BASE = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: AUTH_URL };

  test('are looked at from the special to the general, each pair whole', async () => {
    const stems = ['SANDBOX_CLIENT_@_EU', 'SANDBOX_CLIENT_@', 'CLIENT_@_EU', 'CLIENT_@'];
    const pair = (stem: string) => ({
      [`GWTOKEN_${stem.replace('@', 'ID')}`]: `id of ${stem}`,
      [`GWTOKEN_${stem.replace('@', 'SECRET')}`]: `secret of ${stem}`,
    });
    for (const [index, stem] of stems.entries()) {
      gw.env = Object.assign({}, BASE, ...stems.slice(index).map(pair), pair('CLIENT_@_US'));
      await gw.get('--sandbox', '--fresh');
      expect(form()).toMatchObject({ client_id: `id of ${stem}`, client_secret: `secret of ${stem}` });
    }
    gw.env = Object.assign({}, BASE, ...stems.map(pair));
    await gw.get('--fresh');
    expect(form()).toMatchObject({ client_id: 'id of CLIENT_@_EU' });
  });

  test.each<[Record<string, string>, string, string]>([
    [
      { GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET_US: 's' },
      'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is not',
      'set GWTOKEN_CLIENT_SECRET too, or unset GWTOKEN_CLIENT_ID to use other credentials',
    ],
    [
      { GWTOKEN_CLIENT_SECRET: 's' },
      'GWTOKEN_CLIENT_SECRET is set but GWTOKEN_CLIENT_ID is not',
      'set GWTOKEN_CLIENT_ID too, or unset GWTOKEN_CLIENT_SECRET to use other credentials',
    ],
    [
      { GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: '' },
      'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is empty (CI systems withhold secrets from forks)',
      'set GWTOKEN_CLIENT_SECRET, or unset GWTOKEN_CLIENT_ID to use other credentials',
    ],
    [
      { GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET_FILE: '' },
      'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET_FILE is empty (CI systems withhold secrets from forks)',
      'set GWTOKEN_CLIENT_SECRET_FILE, or unset GWTOKEN_CLIENT_ID to use other credentials',
    ],
    [
      { GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: 's', GWTOKEN_CLIENT_SECRET_FILE: '/f' },
      'both GWTOKEN_CLIENT_SECRET and GWTOKEN_CLIENT_SECRET_FILE are set',
      'unset one of them',
    ],
    [
      { GWTOKEN_CLIENT_ID: 'a\n', GWTOKEN_CLIENT_SECRET: 's' },
      'GWTOKEN_CLIENT_ID contains a character that is not allowed in a client ID',
      'set it to the client ID only, on one line',
    ],
    [
      { GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: 's\n' },
      'the client secret from GWTOKEN_CLIENT_SECRET contains a control character (such as a newline)',
      'provide only the secret, on one line of UTF-8',
    ],
  ])('%j are refused', async (more, error, hint) => {
    gw.env = { ...BASE, ...more };
    expect(await get()).toEqual({ code: 2, error, hints: [hint] });
    expect(gw.posts).toHaveLength(0);
  });

  test('have a file whose path is not shown, since it may be the secret', async () => {
    gw.env = { ...BASE, GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET_FILE: '/the/secret/itself==' };
    const failed = (problem: string) => ({
      code: 2,
      error: `cannot read the file in GWTOKEN_CLIENT_SECRET_FILE: ${problem}`,
      hints: ['it must be a regular file that contains only the client secret'],
    });
    expect(await get()).toEqual(failed('no such file'));
    gw.env['GWTOKEN_CLIENT_SECRET_FILE'] = '/';
    expect(await get()).toEqual(failed('it is not a regular file'));
    gw.own = { readFile: () => Buffer.alloc(0) };
    expect((await get()).error).toBe(
      'the client secret from the file in GWTOKEN_CLIENT_SECRET_FILE is empty',
    );
  });
});

describe('the keychain', () => {
  const item = (more: object = {}) =>
    JSON.stringify({ client_id: 'stored', client_secret: 'secret', auth_url: AUTH_URL, ...more });
  const put = (text: string) => gw.items.set('default:production:eu', text);
  beforeEach(() => {
    gw.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: AUTH_URL };
  });

  test.each([
    ['nonsense', 'is not JSON'],
    ['null', 'has no client_id or client_secret'],
    [item({ client_secret: undefined }), 'has no client_id or client_secret'],
    [item({ client_id: 1234 }), 'has a client_id or client_secret that is not a JSON string'],
    [item({ client_secret: null }), 'has a client_id or client_secret that is not a JSON string'],
    [item({ client_secret: '' }), 'has a client_id or client_secret that is empty'],
    [
      item({ client_id: 'ä' }),
      'has a client_id or client_secret that contains a character that is not allowed in a client ID',
    ],
    [item({ auth_url: null }), 'has an invalid auth_url'],
    [item({ auth_url: 'canary' }), 'has an invalid auth_url'],
  ])('with the item %j fails, and says how to mend it', async (text, problem) => {
    put(text);
    expect(await get()).toEqual({
      code: 5,
      error: `the keychain item gwtoken, default:production:eu ${problem}`,
      hints: [
        'to replace it, run: gwtoken login --region eu',
        'to remove it, run: gwtoken logout --region eu',
      ],
    });
    expect(gw.posts).toHaveLength(0);
  });

  test('has the time of its setting at each call', async () => {
    const calls: unknown[][] = [];
    gw.own = {
      keychain: {
        probe: async (limitMs) => void calls.push(['probe', limitMs]),
        async get(_, limitMs) {
          calls.push(['get', limitMs]);
          return item();
        },
        async set(_, __, limitMs) {
          return calls.push(['set', limitMs]) < 0;
        },
        delete: async (_, limitMs) => calls.push(['delete', limitMs]) > 0,
      },
    };
    gw.env['GWTOKEN_KEYCHAIN_TIMEOUT'] = '7s';
    await gw.login();
    await gw.get('--fresh');
    await gw.cli(['logout', '--yes']);
    expect(calls).toEqual(['probe', 'set', 'get', 'delete'].map((call) => [call, 7000]));
  });

  test('without an item names login, with the address where the config has none, and the variables', async () => {
    expect(await get()).toEqual({
      code: 4,
      error: 'no credentials found for default:production:eu',
      hints: [`to store credentials, run: gwtoken login --region eu --auth-url ${AUTH_URL}`, INSTEAD],
    });
    gw.env = { GWTOKEN_REGION: 'eu', GWTOKEN_CLIENT_ID: '', GWTOKEN_CLIENT_SECRET: '' };
    gw.configure({ 'auth-url': AUTH_URL });
    expect((await get()).hints).toEqual([
      'to store credentials, run: gwtoken login --region eu',
      'empty: GWTOKEN_CLIENT_ID, GWTOKEN_CLIENT_SECRET (CI systems withhold secrets from forks)',
    ]);
  });

  test('without the item that login has stored is no missing login: 5', async () => {
    await gw.login({ flags: ['--no-verify'] });
    gw.items.clear();
    expect(await get()).toEqual({
      code: 5,
      error:
        'the keychain did not return the item of default:production:eu: denied, in a locked keyring, or removed outside gwtoken',
      hints: [`to store credentials, run: gwtoken login --region eu --auth-url ${AUTH_URL}`, INSTEAD],
    });
  });

  test('with a profile by a flag says that it overrides variables', async () => {
    gw.env = { ...gw.env, GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: 's' };
    expect((await get('--profile', 'acme')).hints.slice(1)).toEqual([
      'GWTOKEN_CLIENT_ID is ignored because of --profile; to use it, set GWTOKEN_PROFILE=acme instead',
    ]);
  });

  test('that a CI job does not have is one without an item, and the variables are named', async () => {
    gw.env['CI'] = 'true';
    let reason: Reason | undefined;
    gw.items.get = () => {
      throw new GwtokenError('keychain', 'no keychain here', { reason, hints: ['start one'] });
    };
    const error = 'no credentials found for default:production:eu';
    const missing = [
      'module-missing',
      'library-missing',
      'not-loadable',
      'no-session',
      'no-provider',
    ] as const;
    for (reason of missing) expect(await get(), reason).toEqual({ code: 4, error, hints: [IN_CI] });
    reason = 'locked';
    expect(await get()).toEqual({ code: 5, error: 'no keychain here', hints: ['start one', IN_CI] });
    gw.items.get = () => undefined;
    expect(await get()).toEqual({ code: 4, error, hints: [IN_CI] });
  });

  test('that a CI job does not have is the error for a stored client', async () => {
    await gw.login({ flags: ['--no-verify'] });
    gw.env['CI'] = 'true';
    gw.items.get = () => {
      throw new GwtokenError('keychain', 'there is no desktop session', { reason: 'no-session' });
    };
    expect(await get()).toMatchObject({ code: 5, error: 'there is no desktop session' });
  });

  test('has a secret that goes to its own address only', async () => {
    put(item());
    const stray = 'https://stray.example.com';
    const refused = (from: string, flag = '') => ({
      code: 2,
      error: `default:production:eu was stored for ${AUTH_URL}, but ${from} says ${stray}; nothing was sent`,
      hints: [`to use ${stray}, run: gwtoken login --region eu${flag}`],
    });
    gw.env['GWTOKEN_AUTH_URL'] = stray;
    expect(await get()).toEqual(refused('GWTOKEN_AUTH_URL', ` --auth-url ${stray}`));
    gw.env = { GWTOKEN_REGION: 'eu' };
    expect(await get('--auth-url', stray)).toEqual(refused('--auth-url', ` --auth-url ${stray}`));
    gw.configure({ 'auth-url': stray });
    expect(await get()).toEqual(refused(`auth-url in ${gw.config}/config.json`));
    put(item({ auth_url: undefined }));
    expect((await get()).error).toContain('was stored for no auth URL, but');
    expect(gw.posts).toHaveLength(0);
    put(item({ auth_url: 'https://{region}.example.com' }));
    gw.configure({ 'auth-url': 'https://eu.example.com' });
    expect(await gw.get()).toBe('token-1');
  });

  test('takes an item of 2,560 bytes, and no more', () => {
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
  let end: CommandEnd;
  let runs: Parameters<NonNullable<Inside['own']['runCredentialCommand']>>[];
  const prints = (text: string | Buffer): CommandEnd => ({
    how: 'exited',
    code: 0,
    stdout: Buffer.from(text),
  });
  const GOOD = '{"client_id":"of-command","client_secret":"secret"}';
  beforeEach(() => {
    end = prints(GOOD);
    runs = [];
    gw.env = { GWTOKEN_REGION: 'eu', CI: 'true' };
    gw.configure({ 'auth-url': AUTH_URL, 'credential-command': 'pass show a' });
    gw.own = {
      runCredentialCommand: async (...call) => {
        runs.push(call);
        return end;
      },
    };
  });
  const where = () => `credential-command in ${gw.config}/config.json`;
  const SEE = 'to see the command, run: gwtoken config get credential-command';

  test('gives the credentials, within the keychain’s time and 64 KiB', async () => {
    expect(await gw.get()).toBe('token-1');
    expect(form()).toMatchObject({ client_id: 'of-command', client_secret: 'secret' });
    expect(runs.map(([command, { timeoutMs, maxBytes }]) => [command, timeoutMs, maxBytes])).toEqual([
      ['pass show a', 10_000, 65_536],
    ]);
    gw.env['GWTOKEN_KEYCHAIN_TIMEOUT'] = '7s';
    const { stderr } = await gw.cli(['get', '--fresh', '--verbose']);
    expect(stderr).toContain(`gwtoken: running the credential command (${where()}), with a timeout of 7 s\n`);
    expect(runs.at(-1)?.[1].timeoutMs).toBe(7000);
  });

  test('has a minute where a person may have to unlock something', async () => {
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write() {} } };
    gw.env['CI'] = '';
    await gw.cli(['get', '--fresh']);
    expect(runs[0]?.[1].timeoutMs).toBe(60_000);
  });

  test.each<[string, CommandEnd, string, readonly string[]]>([
    ['a code', { how: 'exited', code: 3, stdout: Buffer.from(GOOD) }, 'exited with code 3', [SEE]],
    ['no start', { how: 'not-started', reason: 'EAGAIN' }, 'could not be started (EAGAIN)', [SEE]],
    ['too much', { how: 'too-long' }, 'printed more than 64 KiB', [SEE]],
    [
      'no end',
      { how: 'late' },
      'did not finish within 10 s',
      ['to wait longer, set GWTOKEN_KEYCHAIN_TIMEOUT or the config key keychain-timeout to 20s'],
    ],
  ])('that ends with %s fails', async (_, how, problem, hints) => {
    end = how;
    expect(await get()).toEqual({
      code: 5,
      error: `the credential command ${problem} (from ${where()})`,
      hints: [...hints, IN_CI],
    });
  });

  test.each<[string | Buffer, string]>([
    ['{', 'is not JSON'],
    [Buffer.from(`\uFEFF${GOOD}`, 'utf16le'), 'is not JSON'],
    [
      Buffer.from(GOOD.replace('secret"}', 's\xe9cret"}'), 'latin1'),
      'has a client_id or client_secret that is not UTF-8 text',
    ],
    [GOOD.replace('}', ',"auth_url":"canary"}'), 'has an invalid auth_url'],
  ])('that prints %j fails', async (text, problem) => {
    end = prints(text);
    expect(await get()).toEqual({
      code: 5,
      error: `the credential command printed output that ${problem} (from ${where()})`,
      hints: ['it must print only {"client_id":"…","client_secret":"…"} to stdout', IN_CI],
    });
  });

  test('that prints nothing has nothing for the client', async () => {
    end = prints(' \n');
    const error = `the credential command returned no credentials for default:production:eu (from ${where()})`;
    expect(await get()).toEqual({ code: 4, error, hints: [IN_CI] });
  });

  test('has a secret for the address that it prints, else for the config’s', async () => {
    const stray = 'https://stray.example.com';
    const refused = (printed: string) => ({
      code: 2,
      error: `the credential command printed ${printed}, but GWTOKEN_AUTH_URL says ${stray}; nothing was sent`,
      hints: [`to use ${stray}, let the command print it as "auth_url"`],
    });
    gw.env['GWTOKEN_AUTH_URL'] = stray;
    expect(await get()).toEqual(refused('no auth URL'));
    end = prints(GOOD.replace('}', `,"auth_url":"${AUTH_URL}"}`));
    expect(await get()).toEqual(refused(AUTH_URL));
    expect(gw.posts).toHaveLength(0);
    end = prints(GOOD.replace('}', `,"auth_url":"${stray}/"}`));
    expect(await gw.get()).toBe('token-1');
    delete gw.env['GWTOKEN_AUTH_URL'];
    expect((await get('--fresh')).hints).toEqual([
      `to use ${AUTH_URL}, let the command print it as "auth_url"`,
    ]);
  });

  test('gets the caller’s environment without what is gwtoken’s own secret, and the client', async () => {
    Object.assign(gw.env, {
      VAULT_TOKEN: 'v',
      GWTOKEN_CLIENT_ID: 'x',
      gwtoken_client_secret_eu: 'x',
      GWTOKEN_SANDBOX_CLIENT_SECRET: 'x',
      GWTOKEN_CLIENTELE: 'kept',
      MY_GWTOKEN_CLIENT_ID: 'kept',
      // What the caller's variables say, where a flag says otherwise.
      GWTOKEN_REGION: 'us',
      GWTOKEN_SANDBOX: '0',
      GWTOKEN_PROFILE: 'other',
    });
    await gw.get('--region', 'eu', '--sandbox', '--profile', 'acme');
    const ours = /VAULT|CLIENT|REGION|SANDBOX|PROFILE/i;
    expect(Object.fromEntries(Object.entries(runs[0]![1].env).filter(([name]) => ours.test(name)))).toEqual({
      VAULT_TOKEN: 'v',
      GWTOKEN_CLIENTELE: 'kept',
      MY_GWTOKEN_CLIENT_ID: 'kept',
      GWTOKEN_REGION: 'eu',
      GWTOKEN_SANDBOX: '1',
      GWTOKEN_PROFILE: 'acme',
    });
  });
});
