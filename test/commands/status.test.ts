import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError, Interrupted } from '../../src/errors';
import { keychainError } from '../../src/system/keychain/errors';
import type { Keychain, KeychainReason } from '../../src/world/keychain';
import { PLAIN } from '../documents/grammar';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables, withoutVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { type Inside, inside } from '../harness/homes/in-process';
import { keyringAvailable, startKeyring } from '../harness/keyrings/keyring';
import { runProgram } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';
import { parseStatus } from './report-schemas';

const SECRET = 'canary-secret';
const clients = ['eu-client-0001', 'eu-sandbox-0002', 'eu-acme-0003'].map((clientId) => ({
  clientId,
  clientSecret: SECRET,
}));

const startIdentity = () => startIdentityServer({ clients, ttlSeconds: 600 });

describe('status of stored clients', () => {
  /** A keyring with three clients that were logged in. */
  async function setUp(skip: (condition: boolean, note?: string) => void) {
    skip(keyringAvailable() !== undefined, keyringAvailable());
    const identity = await startIdentity();
    const keyring = await startKeyring({ state: 'unlocked' });
    const { env } = keyring;
    const run = async (args: readonly string[], more: Record<string, string> = {}, stdin = '') => {
      const result = await runProgram(args, { env: { ...env, ...more }, stdin });
      expect(result.stdout + result.stderr).not.toContain(SECRET);
      for (const token of identity.issued) expect(result.stdout + result.stderr).not.toContain(token);
      return result;
    };
    const which = [[], ['--sandbox'], ['--profile', 'acme']];
    for (const [index, flags] of which.entries()) {
      const login = ['login', '--region', 'eu', '--auth-url', identity.authUrl, ...flags];
      const id = clients[index]?.clientId ?? '';
      const { code } = await run([...login, '--client-id', id, '--secret-stdin'], {}, SECRET);
      expect(code).toBe(0);
    }
    return { identity, keyring, run };
  }

  test('is a table, the selected one first, and opens no keychain', async ({ skip }) => {
    const { identity, keyring, run } = await setUp(skip);
    await keyring.lock();
    const { code, stdout, stderr } = await run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = [
      `* default:production:eu  eu-c…0001  not cached  ${identity.authUrl}`,
      `  acme:production:eu     eu-a…0003  not cached  ${identity.authUrl}`,
      `  default:sandbox:eu     eu-s…0002  not cached  ${identity.authUrl}`,
    ];
    expect(stdout).toBe(`  CLIENT                 CLIENT ID  TOKEN       AUTH URL\n${rows.join('\n')}\n`);
    const acme = await run(['status', '--profile', 'acme']);
    expect(acme.stdout).toMatch(/^ {2}CLIENT .*\n\* acme:production:eu .*\n$/);
    const other = parseStatus((await run(['status', '--json', '--profile', 'acme'])).stdout);
    expect(other.clients.map(({ name, selected }) => `${name} ${selected}`)).toEqual([
      'acme:production:eu true',
    ]);
  });

  test('with --verbose says where the credentials and each setting come from, with ~ for the home directory', async ({
    skip,
  }) => {
    const { identity, keyring, run } = await setUp(skip);
    const config = keyring.env['XDG_CONFIG_HOME'] ?? '';
    const { code, stdout } = await run(['status', '--profile', 'acme', '--verbose'], {
      HOME: dirname(config),
    });
    expect(code).toBe(0);
    expect(stdout).toBe(`acme:production:eu (selected)
  credentials  keychain (service gwtoken, account acme:production:eu)
  client ID    eu-a…0003
  auth URL     ${identity.authUrl} (auth-url.eu in ~/${basename(config)}/gwtoken/config.json)
  token        not cached
`);
  });

  test('shows what is left of a token, and a short client ID whole', async ({ skip }) => {
    const { run } = await setUp(skip);
    expect((await run(['exec', '--region', 'eu', '--', 'true'])).code).toBe(0);
    expect((await run(['status'])).stdout).toMatch(
      /^\* default:production:eu {2}eu-c…0001 {2}(9|10) min left {2,}http/m,
    );
    const login = ['login', '--region', 'us', '--auth-url', 'https://us.example.com', '--no-verify'];
    await run([...login, '--client-id', 'abcdefgh', '--secret-stdin'], {}, SECRET);
    expect((await run(['status'])).stdout).toMatch(/^ {2}default:production:us {2}abcdefgh {2,}not cached/m);
  });

  test('claims no credentials that are not there', async ({ skip }) => {
    const { run } = await setUp(skip);
    expect((await run(['logout', '--all', '--yes'])).code).toBe(0);
    const { stdout } = await run(['status']);
    expect(stdout).toMatch(/^\* default:production:eu {2}none stored {2}not cached {2}http/m);
    expect(stdout).toContain(
      'warn default:production:eu: no stored credentials\n  fix: to store credentials, run: gwtoken login --region eu\n',
    );
    expect(stdout).not.toContain('keychain');
  });

  test('with --check reads each and asks the endpoint; the exit code is that of the first failure', async ({
    skip,
  }) => {
    const { identity, keyring, run } = await setUp(skip);
    const before = identity.issued.length;
    const good = await run(['status', '--check']);
    expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' });
    expect(good.stdout.match(/^[* ] \S+ +\S+ {2}OK {5}http/gm)).toHaveLength(3);
    expect(identity.issued.length).toBe(before + 3);

    const item = { client_id: 'eu-client-0001', client_secret: 'revoked', auth_url: identity.authUrl };
    await keyring.store('default:production:eu', JSON.stringify(item));
    const bad = await run(['status', '--check', '--json']);
    expect(bad.code).toBe(3);
    expect(bad.stderr).toMatch(
      /^gwtoken: error: check failed: default:production:eu: .* rejected the credentials/,
    );
    const checks = parseStatus(bad.stdout).clients.map(({ check }) => check);
    expect(checks).toMatchObject([{ ok: false, exit_code: 3 }, { ok: true, expires_in: 600 }, { ok: true }]);
  });

  test('with --check and a locked keyring fails for all of them at once', async ({ skip }) => {
    const { keyring, run } = await setUp(skip);
    await keyring.lock();
    // Whoever waited for a person would not be back in time.
    const { code, stdout } = await run(['status', '--check', '--json'], { GWTOKEN_KEYCHAIN_TIMEOUT: '60s' });
    expect(code).toBe(5);
    expect(parseStatus(stdout).clients.map(({ check }) => check?.['error'])).toEqual(
      Array(3).fill('the keychain is locked'),
    );
  });

  test('tells of an address other than the one that the credentials are bound to', async ({ skip }) => {
    const { identity, run } = await setUp(skip);
    const { stdout } = await run(['status'], { GWTOKEN_AUTH_URL: 'https://elsewhere.example.com' });
    expect(stdout).toContain(
      `warn default:production:eu: https://elsewhere.example.com (GWTOKEN_AUTH_URL); the stored credentials belong to ${identity.authUrl}\n  fix: to log in at the new auth URL, run: gwtoken login --region eu --auth-url https://elsewhere.example.com\n`,
    );
  });
});

test('status shows what is left of a token to its last second, and none that has expired', async () => {
  const gw = inside();
  await gw.get();
  const shown = async () => {
    const { stdout } = await gw.cli(['status', '--json']);
    return parseStatus(stdout).clients.map(({ token }) => token && { ...token, expires_at: undefined });
  };
  const began = gw.nowMs;
  for (const [laterMs, left] of [
    [0, { expires_in: 3600 }],
    [400, { expires_in: 3599 }],
    [3_599_999, { expires_in: 0 }],
    [3_600_000, null],
    [9_999_999, null],
  ] as const) {
    gw.nowMs = began + laterMs;
    expect(await shown()).toEqual([left]);
  }
});

test('status --verbose tells until when the cached token lives, in its two largest units', async () => {
  const gw = inside();
  await gw.get();
  const began = gw.nowMs;
  const shown = async (laterMs: number) => {
    gw.nowMs = began + laterMs;
    const { stdout, stderr } = await gw.cli(['status', '--verbose']);
    expect(stderr).toBe('');
    return stdout;
  };
  expect(await shown(0)).toBe(`default:production:eu (selected)
  credentials  GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET
  client ID    client
  auth URL     https://a.example.com (GWTOKEN_AUTH_URL)
  token        cached, expires in 1 h
`);
  for (const [laterMs, left] of [
    [1, '59 min 59 s'],
    [60_000, '59 min'],
    [3_599_000, '1 s'],
  ] as const)
    expect(await shown(laterMs)).toContain(`\n  token        cached, expires in ${left}\n`);
});

test('status tells why no client is selected, and of credentials whose auth URL is not set any more', async () => {
  const gw = inside();
  gw.env = { GWTOKEN_AUTH_URL: 'https://a.example.com' };
  gw.stdin = SECRET;
  const login = ['login', '--region', 'eu', '--client-id', 'eu-client-0001', '--secret-stdin', '--no-verify'];
  expect(await gw.cli(login)).toMatchObject({ code: 0 });
  gw.env = {};
  gw.configure({ retries: 1 });
  expect((await gw.cli(['status'])).stdout).toBe(`  CLIENT                 CLIENT ID  TOKEN       AUTH URL
  default:production:eu  eu-c…0001  not cached  not set

warn default:production:eu: not set (the stored credentials belong to https://a.example.com)
  fix: to set the auth URL again, run: gwtoken config set auth-url.eu https://a.example.com

No client selected: no region set
  fix: use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu
`);
});

test('status has the ID of a client that login did not store from its cached token', async () => {
  const gw = inside();
  gw.env = withoutVariables(gw.env);
  const item = { client_id: 'eu-client-0001', client_secret: SECRET, auth_url: 'https://a.example.com' };
  gw.items.set('default:production:eu', JSON.stringify(item));
  await gw.get();
  expect((await gw.cli(['status'])).stdout).toBe(
    '  CLIENT                 CLIENT ID  TOKEN     AUTH URL\n' +
      '* default:production:eu  eu-c…0001  1 h left  https://a.example.com\n',
  );
});

test('status tells of a client that has lost its address, and of none that is selected', async () => {
  const gw = inside();
  gw.env = {};
  gw.stdin = 'a secret';
  const login = ['login', '--region', 'eu', '--auth-url', 'https://a.example.com', '--client-id', 'an-id'];
  expect(await gw.cli([...login, '--secret-stdin', '--no-verify'])).toMatchObject({ code: 0 });
  const shown = async (...args: string[]) => (await gw.cli(['status', ...args])).stdout;
  await gw.cli(['config', 'unset', 'auth-url.eu']);
  const lost = 'not set (the stored credentials belong to https://a.example.com)';
  expect(await shown()).toBe(`  CLIENT                 CLIENT ID  TOKEN       AUTH URL
* default:production:eu  an-id      not cached  not set

warn default:production:eu: ${lost}
  fix: to set the auth URL again, run: gwtoken config set auth-url.eu https://a.example.com
`);
  expect(await shown('--verbose')).toBe(`default:production:eu (selected)
  credentials  keychain (service gwtoken, account default:production:eu)
  client ID    an-id
  auth URL     warn ${lost}
               fix: to set the auth URL again, run: gwtoken config set auth-url.eu https://a.example.com
  token        not cached
`);
  await gw.cli(['config', 'unset', 'region']);
  await gw.cli(['config', 'set', 'auth-url', 'https://a.example.com']);
  expect(await shown()).toBe(`  CLIENT                 CLIENT ID  TOKEN       AUTH URL
  default:production:eu  an-id      not cached  https://a.example.com

No client selected: no region set
  fix: use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu
`);
  await gw.get('--region', 'eu');
  gw.nowMs += 3_600_000 - 125_000;
  expect(await shown('--verbose')).toBe(`default:production:eu
  credentials  keychain (service gwtoken, account default:production:eu)
  client ID    an-id
  auth URL     https://a.example.com (auth-url in ${gw.config}/config.json)
  token        cached, expires in 2 min 5 s

No client selected: no region set
  fix: use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu
`);
});

test('status --json has each member from where it belongs', async () => {
  const gw = inside();
  gw.env = {};
  gw.stdin = 'a secret';
  const [a, b] = ['https://a.example.com', 'https://b.example.com'];
  const login = ['login', '--region', 'us', '--sandbox', '--auth-url', a, '--client-id', 'a-client-id'];
  expect(await gw.cli([...login, '--secret-stdin', '--no-verify'])).toMatchObject({ code: 0 });
  await gw.get('--sandbox');
  const client = {
    name: 'default:sandbox:us',
    profile: 'default',
    environment: 'sandbox',
    region: 'us',
    selected: true,
    credentials: { source: 'keychain', name: 'keychain item gwtoken, default:sandbox:us' },
    client_id: 'a-cl…t-id',
    auth_url: a,
    auth_url_source: `sandbox.auth-url.us in ${gw.config}/config.json`,
    bound_to: a,
    token: { expires_at: new Date(gw.nowMs + 3_600_000).toISOString(), expires_in: 3600 },
    check: null,
  };
  const shown = async (...args: string[]) => {
    const { code, stdout } = await gw.cli(['status', '--json', '--sandbox', ...args]);
    return { code, clients: parseStatus(stdout).clients };
  };
  expect(await shown()).toEqual({ code: 0, clients: [client] });
  expect(await shown('--check')).toEqual({
    code: 0,
    clients: [{ ...client, check: { ok: true, expires_in: 3600 } }],
  });
  const elsewhere = { auth_url: b, auth_url_source: '--auth-url', token: null };
  expect(await shown('--auth-url', b, '--check')).toEqual({
    code: 2,
    clients: [
      {
        ...client,
        ...elsewhere,
        check: {
          ok: false,
          error: `the credentials for default:sandbox:us belong to ${a} (from its keychain item), but the auth URL is ${b} (from --auth-url); nothing was sent`,
          hints: [
            `to use ${a}, omit --auth-url`,
            `to log in at this auth URL, run: gwtoken login --region us --sandbox --auth-url ${b}`,
          ],
          exit_code: 2,
        },
      },
    ],
  });
});

test.each<[times: number, reasons: KeychainReason[]]>([
  [1, ['no-collection', 'locked', 'not-started', 'silent', 'timed-out', 'crashed']],
  [2, ['no-session', 'hidden', 'denied', 'failed']],
])('of two clients, status --check asks the keychain %i times that is %j', async (times, reasons) => {
  const gw = inside();
  gw.env = { GWTOKEN_AUTH_URL: 'https://a.example.com' };
  for (const region of ['eu', 'us']) {
    gw.stdin = SECRET;
    const login = [
      'login',
      '--region',
      region,
      '--client-id',
      'eu-client-0001',
      '--secret-stdin',
      '--no-verify',
    ];
    expect(await gw.cli(login)).toMatchObject({ code: 0 });
  }
  for (const reason of reasons) {
    const { message } = keychainError(reason, 'linux');
    let asked = 0;
    gw.own = {
      keychain: {
        get() {
          asked++;
          return Promise.reject(keychainError(reason, 'linux'));
        },
      } as unknown as Keychain,
    };
    const { code, stdout } = await gw.cli(['status', '--check', '--json']);
    expect([reason, asked, code]).toEqual([reason, times, 5]);
    expect(parseStatus(stdout).clients.map(({ check }) => check?.['error'])).toEqual([message, message]);
  }
});

test('status --check --verbose tells what the check gave', async () => {
  const gw = inside();
  const checked = async () => {
    const { code, stdout } = await gw.cli(['status', '--check', '--verbose']);
    return [code, ...stdout.split('\n').slice(5, -1)];
  };
  expect(await checked()).toEqual([0, '  check        ok   OK, new token valid for 1 h']);
  gw.answer = () => ({ body: { access_token: 'token', token_type: 'Bearer' } });
  expect(await checked()).toEqual([0, '  check        ok   OK, new token']);
  const { stdout } = await gw.cli(['status', '--check', '--json']);
  expect(parseStatus(stdout).clients[0]?.check).toEqual({ ok: true, expires_in: null });
  gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
  expect(await checked()).toEqual([
    3,
    '  check        FAIL https://a.example.com/oauth2/token rejected the credentials (HTTP 401, invalid_client)',
    `${' '.repeat(15)}fix: check the client ID and secret (from GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET)`,
    `${' '.repeat(15)}fix: if the client belongs to region us, use --region us`,
  ]);
});

test('status --check ends where a person presses Ctrl-C at what asks for the credentials', async () => {
  const gw = inside();
  gw.env = withoutVariables(gw.env);
  const interrupted = new Interrupted('SIGINT');
  gw.own = { keychain: { get: () => Promise.reject(interrupted) } as unknown as Keychain };
  await expect(gw.cli(['status', '--check'])).rejects.toBe(interrupted);
});

test('status --check tells of a cached token that has expired meanwhile that it has no time left', async () => {
  const gw = inside();
  await gw.get();
  const began = gw.nowMs;
  gw.answer = () => {
    gw.nowMs += 5000;
    return tokenReply('token');
  };
  const shown = async (...flags: string[]) => {
    gw.nowMs = began + 3_600_000 - 1000;
    return (await gw.cli(['status', '--check', ...flags])).stdout;
  };
  expect(parseStatus(await shown('--json')).clients[0]?.token).toMatchObject({ expires_in: 0 });
  expect(await shown('--verbose')).toContain('\n  token        cached, expires in 0 s\n');
});

test('status --check has a spinner, unless a credential command may ask on the same terminal', async () => {
  const gw = inside();
  const labels: string[] = [];
  const spin = <T>(label: string, work: () => Promise<T>) => {
    labels.push(label);
    return work();
  };
  const stdout = Buffer.from('{"client_id":"id","client_secret":"a secret"}');
  gw.own = {
    terminal: { ...PLAIN, hasUnicode: () => true, spin } as never,
    runCredentialCommand: async () => ({ how: 'exited', code: 0, stdout }),
  };
  expect(await gw.cli(['status'])).toMatchObject({ code: 0 });
  expect(labels).toEqual([]);
  expect(await gw.cli(['status', '--check'])).toMatchObject({ code: 0 });
  expect(labels).toEqual(['verifying the credentials']);
  gw.env = withoutVariables(gw.env);
  gw.configure({ 'auth-url': 'https://a.example.com', 'credential-command': 'pass show a' });
  expect(await gw.cli(['status', '--check'])).toMatchObject({ code: 0 });
  expect(labels).toHaveLength(1);
});

test('status passes over what is no client in the list of them, and tells of a list that cannot be read', async () => {
  const gw = inside();
  mkdirSync(gw.config, { recursive: true, mode: 0o700 });
  const entry = { client_id: 'an-id', auth_url: 'https://a.example.com' };
  const known = { 'a note': entry, 'acme:production:mars': entry, 'acme:production:us': entry };
  const list = join(gw.config, 'clients.json');
  writeFileSync(list, JSON.stringify(known), { mode: 0o600 });
  const { stdout } = await gw.cli(['status', '--json']);
  expect(parseStatus(stdout).clients.map(({ name }) => name)).toEqual([
    'default:production:eu',
    'acme:production:us',
  ]);
  writeFileSync(list, '{');
  expect(await gw.cli(['status'])).toEqual({
    code: 2,
    stdout: '',
    stderr: `gwtoken: error: config file ${list} contains invalid JSON\nhint: fix or delete ${list}\n`,
  });
});

describe('status, word for word', () => {
  const A = 'https://a.example.com';
  const HEADS = '  CLIENT                 CLIENT ID  TOKEN       AUTH URL';
  let gw: Inside;
  beforeEach(() => {
    gw = inside();
    gw.own = { warmUp: () => {} };
  });
  const status = async (...flags: string[]) => (await gw.cli(['status', ...flags])).stdout;
  const login = async (...flags: string[]) => {
    gw.env = {};
    gw.stdin = SECRET;
    const args = [
      'login',
      '--region',
      'eu',
      '--auth-url',
      A,
      '--client-id',
      'id',
      '--secret-stdin',
      ...flags,
    ];
    expect(await gw.cli(args)).toMatchObject({ code: 0, stdout: '' });
  };

  test('of variables with a cached token', async () => {
    gw.answer = () => tokenReply('token', { expires_in: 7500 });
    await gw.get();
    const endsAtMs = gw.nowMs + 7_500_000;
    for (const [leftS, roughly, exactly] of [
      [7500, '2 h 5 min', '2 h 5 min'],
      [7259, '2 h', '2 h'],
      [3543, '59 min', '59 min 3 s'],
      [60, '1 min', '1 min'],
      [59, '59 s', '59 s'],
    ] as const) {
      gw.nowMs = endsAtMs - leftS * 1000;
      expect(await status()).toMatch(
        new RegExp(`^\\* default:production:eu {2}client {5}${roughly} left +${A}$`, 'm'),
      );
      expect(await status('--verbose')).toBe(`default:production:eu (selected)
  credentials  GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET
  client ID    client
  auth URL     ${A} (GWTOKEN_AUTH_URL)
  token        cached, expires in ${exactly}
`);
    }
    expect(parseStatus(await status('--json')).clients).toEqual([
      {
        name: 'default:production:eu',
        profile: 'default',
        environment: 'production',
        region: 'eu',
        selected: true,
        credentials: { source: 'variables', name: 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET' },
        client_id: 'client',
        auth_url: A,
        auth_url_source: 'GWTOKEN_AUTH_URL',
        bound_to: null,
        token: { expires_at: new Date(endsAtMs).toISOString(), expires_in: 59 },
        check: null,
      },
    ]);
  });

  test('of stored clients whose auth URL is not set any more', async () => {
    await login();
    await login('--sandbox', '--profile', 'acme');
    gw.configure({ region: 'eu' });
    const row = (name: string, set: string) => [
      `warn ${name}: not set (the stored credentials belong to ${A})`,
      `  fix: to set the auth URL again, run: gwtoken config set ${set}`,
    ];
    expect(await status()).toBe(
      [
        HEADS,
        '* default:production:eu  id         not cached  not set',
        '  acme:sandbox:eu        id         not cached  not set',
        '',
        ...row('default:production:eu', `auth-url.eu ${A}`),
        '',
        ...row('acme:sandbox:eu', `sandbox.auth-url.eu ${A} --profile acme`),
        '',
      ].join('\n'),
    );
    expect(await status('--verbose', '--profile', 'default')).toBe(`default:production:eu (selected)
  credentials  keychain (service gwtoken, account default:production:eu)
  client ID    id
  auth URL     warn not set (the stored credentials belong to ${A})
               fix: to set the auth URL again, run: gwtoken config set auth-url.eu ${A}
  token        not cached
`);
    expect(parseStatus(await status('--json')).clients[0]).toMatchObject({
      credentials: { source: 'keychain', name: 'keychain item gwtoken, default:production:eu' },
      auth_url: null,
      auth_url_source: null,
      bound_to: A,
    });
    for (const set of [`auth-url.eu ${A}`, `sandbox.auth-url.eu ${A} --profile acme`])
      expect(await gw.cli(['config', 'set', ...set.split(' ')])).toMatchObject({ code: 0 });
    expect(await status()).toBe(
      `${HEADS}
* default:production:eu  id         not cached  ${A}
  acme:sandbox:eu        id         not cached  ${A}
`,
    );
  });

  test('of one client while none is selected', async () => {
    await login();
    gw.configure({ 'auth-url': A });
    expect(await status()).toBe(`${HEADS}
  default:production:eu  id         not cached  ${A}

No client selected: no region set
  fix: use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu
`);
    expect(await status('--verbose')).toContain('default:production:eu\n  credentials  ');
    const none = (hint: string) => `No client selected: no region set\n${hint}  fix: use --region eu or`;
    expect(await gw.cli(['status', '--check'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(none('')),
      stderr: '',
    });
    gw.configure({});
    expect(await status()).toContain(`\n\n${none('  fix: new here? run: gwtoken login\n')}`);
  });

  test('of variables for a client that is stored as well: they alone count', async () => {
    await login();
    gw.env = inVariables('https://v.example.com');
    expect(await status()).toBe(
      `${HEADS}\n* default:production:eu  client     not cached  https://v.example.com\n`,
    );
  });

  test('of another address with a place for the region: the hint has it as it was written', async () => {
    await login('--sandbox', '--profile', 'acme');
    const flags = ['--sandbox', '--profile', 'acme', '--auth-url', 'https://{region}.example.com'];
    expect(await status(...flags)).toBe(`  CLIENT           CLIENT ID  TOKEN       AUTH URL
* acme:sandbox:eu  id         not cached  https://eu.example.com

warn acme:sandbox:eu: https://eu.example.com (--auth-url); the stored credentials belong to ${A}
  fix: to log in at the new auth URL, run: gwtoken login --region eu --sandbox --profile acme --auth-url 'https://{region}.example.com'
`);
  });

  test('of an address that is wrong, in JSON', async () => {
    gw.env['GWTOKEN_AUTH_URL'] = 'a.example.com';
    expect(parseStatus(await status('--json')).clients).toMatchObject([
      { auth_url: null, auth_url_source: null, token: null },
    ]);
  });

  test('of a keychain that is locked, and of the client of a command behind it, which is checked', async () => {
    await login('--no-verify');
    await login('--no-verify', '--profile', 'vault');
    const vault = { 'credential-command': 'pass show a' };
    gw.configure({ region: 'eu', 'auth-url': A, profiles: { vault } });
    const stdout = Buffer.from('{"client_id":"id","client_secret":"a secret"}');
    const get = () => Promise.reject(keychainError('locked', 'linux'));
    const spin = () => Promise.reject(new Error('a spinner over what one of them may ask'));
    gw.own = {
      ...gw.own,
      terminal: { ...PLAIN, spin } as never,
      keychain: { get } as unknown as Keychain,
      runCredentialCommand: async () => ({ how: 'exited', code: 0, stdout }),
    };
    const { clients: found } = parseStatus(await status('--check', '--json'));
    expect(found.map(({ name, check }) => [name, check?.['error'] ?? 'OK'])).toEqual([
      ['default:production:eu', 'the keychain is locked'],
      ['vault:production:eu', 'OK'],
    ]);
  });

  test('of settings that no token can be requested with', async () => {
    await gw.get();
    gw.env['GWTOKEN_TIMEOUT'] = 'soon';
    const problem = `invalid duration "soon" (from GWTOKEN_TIMEOUT)`;
    const hint = 'use 90, 90s, 5m or 1h';
    expect(await status()).toBe(`  CLIENT                 CLIENT ID  TOKEN    AUTH URL
* default:production:eu  client     unknown  ${A}

FAIL default:production:eu: ${problem}
  fix: ${hint}
`);
    expect(await status('--verbose')).toBe(`default:production:eu (selected)
  credentials  GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET
  client ID    client
  auth URL     ${A} (GWTOKEN_AUTH_URL)
  token        FAIL ${problem}
               fix: ${hint}
`);
    expect(await status('--check')).toContain(
      `check failed  ${A}\n\nFAIL default:production:eu: ${problem}\n`,
    );
  });

  test.each([
    ['--region', 'mars', 'invalid region "mars" (from --region)', 'use eu or us'],
    [
      '--profile',
      'a b',
      'invalid profile name "a b" (from --profile)',
      'use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
    ],
  ])('of no client that a wrong %s could mean', async (flag, value, message, hint) => {
    const stderr = `gwtoken: error: ${message}\nhint: ${hint}\n`;
    expect(await gw.cli(['status', '--json', flag, value])).toEqual({ code: 2, stdout: '', stderr });
  });

  test('on a first run with a wrong region in the variable', async () => {
    gw.env = { GWTOKEN_REGION: 'mars' };
    expect(await status()).toBe(`No stored clients. To add one, run: gwtoken login

No client selected: invalid region "mars" (from GWTOKEN_REGION)
  fix: use eu or us
`);
  });

  test('of one client while the profile in the variable is none', async () => {
    await login();
    gw.env = { GWTOKEN_PROFILE: 'Acme' };
    expect(await gw.cli(['status'])).toEqual({
      code: 0,
      stdout: `${HEADS}
  default:production:eu  id         not cached  ${A}

No client selected: invalid profile name "Acme" (from GWTOKEN_PROFILE)
  fix: did you mean acme?
  fix: use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit
`,
      stderr: '',
    });
  });

  test('of a check that fails', async () => {
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    const problem = `${A}/oauth2/token rejected the credentials (HTTP 401, invalid_client)`;
    const fixes = [
      'check the client ID and secret (from GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET)',
      'if the client belongs to region us, use --region us',
    ];
    const hints = (label: string) => fixes.map((fix) => `${label}: ${fix}\n`).join('');
    expect(await gw.cli(['status', '--check'])).toEqual({
      code: 3,
      stdout: `  CLIENT                 CLIENT ID  TOKEN         AUTH URL
* default:production:eu  client     check failed  ${A}

FAIL default:production:eu: ${problem}
${hints('  fix')}`,
      stderr: `gwtoken: error: check failed: default:production:eu: ${problem}\n${hints('hint')}`,
    });
  });

  test('of two checks that fail: the exit code and its details are those of the first', async () => {
    await login('--no-verify');
    await login('--no-verify', '--region', 'us');
    gw.answer = (post) => {
      const [kind, which] = post % 2 === 1 ? (['unreached', 'eu'] as const) : (['bad-reply', 'us'] as const);
      throw new GwtokenError(kind, `no ${which}`, { detail: `details of ${which}` });
    };
    const said = 'gwtoken: error: check failed: default:production:eu: no eu\n';
    expect(await gw.cli(['status', '--check', '--retries', '0'])).toEqual({
      code: 6,
      stdout: `  CLIENT                 CLIENT ID  TOKEN         AUTH URL
* default:production:eu  id         check failed  ${A}
  default:production:us  id         check failed  ${A}

FAIL default:production:eu: no eu

FAIL default:production:us: no us
`,
      stderr: said,
    });
    const { stderr } = await gw.cli(['status', '--check', '--retries', '0', '--verbose']);
    expect(stderr.endsWith(`${said}gwtoken: details of eu\n`)).toBe(true);
  });

  test('of a client without credentials, with --verbose', async () => {
    gw.env = { GWTOKEN_REGION: 'eu' };
    expect(await status('--verbose', '--sandbox', '--profile', 'acme')).toBe(`acme:sandbox:eu (selected)
  credentials  warn no stored credentials
               fix: to store credentials, run: gwtoken login --region eu --sandbox --profile acme
  client ID    unknown
  auth URL     not set
  token        not cached
`);
  });

  test('of a credential command, whose client ID a check brings', async () => {
    gw.env = { GWTOKEN_REGION: 'eu' };
    gw.configure({ 'auth-url': A, 'credential-command': 'pass show a' });
    const stdout = Buffer.from('{"client_id":"a-command","client_secret":"a secret"}');
    gw.own = { ...gw.own, runCredentialCommand: async () => ({ how: 'exited', code: 0, stdout }) };
    expect(await status()).toBe(`${HEADS}\n* default:production:eu  unknown    not cached  ${A}\n`);
    expect(await status('--check')).toBe(
      `  CLIENT                 CLIENT ID  TOKEN  AUTH URL\n* default:production:eu  a-co…mand  OK     ${A}\n`,
    );
    expect(parseStatus(await status('--json')).clients).toMatchObject([
      {
        credentials: { source: 'command', name: `credential-command in ${gw.config}/config.json` },
        client_id: null,
      },
    ]);
  });

  test('of the others by their own settings: flags and credentials in variables are for the selected one', async () => {
    await login('--profile', 'acme');
    gw.env = inVariables('https://v.example.com');
    const shown = parseStatus(await status('--json', '--auth-url', 'https://b.example.com')).clients;
    expect(
      shown.map(({ name, credentials, client_id, auth_url }) => [
        name,
        credentials['source'],
        client_id,
        auth_url,
      ]),
    ).toEqual([
      ['default:production:eu', 'variables', 'client', 'https://b.example.com'],
      ['acme:production:eu', 'keychain', 'id', 'https://v.example.com'],
    ]);
    gw.items.clear();
    const said =
      'gwtoken: error: check failed: acme:production:eu: no credentials found for acme:production:eu\n';
    expect(await gw.cli(['status', '--check'])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(`^${said}`),
    });
  });

  test('of no client, where none is selected, and of a check of none', async () => {
    gw.env = {};
    gw.configure({ retries: 1 });
    const fix = 'use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu';
    const stdout = `No stored clients. To add one, run: gwtoken login

No client selected: no region set
  fix: ${fix}
`;
    expect(await gw.cli(['status'])).toEqual({ code: 0, stdout, stderr: '' });
    expect(await gw.cli(['status', '--check'])).toEqual({
      code: 2,
      stdout,
      stderr: `gwtoken: error: no region set\nhint: ${fix}\n`,
    });
  });

  test('of half a pair of variables, which a check meets again', async () => {
    gw.env['GWTOKEN_CLIENT_SECRET'] = '';
    const problem =
      'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is empty (CI systems withhold secrets from forks)';
    const fix = 'set GWTOKEN_CLIENT_SECRET, or unset GWTOKEN_CLIENT_ID to use other credentials';
    expect(await gw.cli(['status', '--check'])).toEqual({
      code: 2,
      stdout: `  CLIENT                 CLIENT ID  TOKEN         AUTH URL
* default:production:eu  unknown    check failed  ${A}

FAIL default:production:eu: ${problem}
  fix: ${fix}
`,
      stderr: `gwtoken: error: check failed: default:production:eu: ${problem}\nhint: ${fix}\n`,
    });
    gw.env['GWTOKEN_AUTH_URL'] = '';
    expect(await status()).toBe(`${HEADS}
* default:production:eu  unknown    not cached  not set

FAIL default:production:eu: ${problem}
  fix: ${fix}
`);
    expect(await status('--verbose')).toBe(`default:production:eu (selected)
  credentials  FAIL ${problem}
               fix: ${fix}
  client ID    unknown
  auth URL     not set
  token        not cached
`);
    expect(parseStatus(await status('--json')).clients[0]?.credentials).toEqual({
      error: problem,
      hints: [fix],
      exit_code: 2,
    });
  });
});

describe('status without stored clients', () => {
  test('of a new installation says what to do first', async () => {
    const home = openHome();
    const { code, stdout, stderr } = await home.gwtoken(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('No stored clients. To add one, run: gwtoken login\n');
    expect(parseStatus((await home.gwtoken(['status', '--json'])).stdout)).toEqual({ clients: [] });
    expect((await home.gwtoken(['status', '--check'])).code).toBe(2);
  });

  test('with variables names them, masks the ID, and --check does not load the keychain', async () => {
    const copy = copyProgram("require('node:fs').writeFileSync(__dirname + '/loaded', '');");
    const { authUrl } = await startIdentity();
    const home = openHome(inVariables(authUrl, clients[0]));
    const { code, stdout } = await home.gwtoken(['status', '--check', '--json'], { program: copy.program });
    expect(code).toBe(0);
    expect(stdout).not.toContain(SECRET);
    expect(parseStatus(stdout).clients).toMatchObject([
      {
        name: 'default:production:eu',
        credentials: { source: 'variables', name: 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET' },
        client_id: 'eu-c…0001',
        auth_url: authUrl,
        check: { ok: true },
      },
    ]);
    expect(existsSync(join(copy.dir, 'node_modules', 'keytar', 'loaded'))).toBe(false);
  });

  test('with half a pair of variables shows the problem, not another source', async () => {
    const home = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_CLIENT_ID: 'eu-client-0001' });
    const { code, stdout } = await home.gwtoken(['status']);
    expect(code).toBe(0);
    expect(stdout).toBe(`  CLIENT                 CLIENT ID  TOKEN       AUTH URL
* default:production:eu  unknown    not cached  not set

FAIL default:production:eu: GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is not
  fix: set GWTOKEN_CLIENT_SECRET too, or unset GWTOKEN_CLIENT_ID to use other credentials
`);
  });

  test('with a bad auth URL shows the problem, and how to mend it', async () => {
    const home = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'identity.example.com' });
    const { code, stdout } = await home.gwtoken(['status']);
    expect(code).toBe(0);
    expect(stdout).toBe(`  CLIENT                 CLIENT ID    TOKEN       AUTH URL
* default:production:eu  none stored  not cached  invalid

warn default:production:eu: no stored credentials
  fix: to store credentials, run: gwtoken login --region eu

FAIL default:production:eu: auth URL "identity.example.com" (from GWTOKEN_AUTH_URL) is not a URL
  fix: did you mean https://identity.example.com?
`);
  });
});
