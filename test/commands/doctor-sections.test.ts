/** Whole sections of doctor's report where nothing failed but something is to be said: in this process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Interrupted } from '../../src/errors';
import { keychainError } from '../../src/system/keychain/errors';
import type { Keychain, KeychainReason } from '../../src/world';
import { PLAIN } from '../documents/grammar';
import { inVariables } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';
import { parseDoctor } from './report-schemas';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

/** The lines below a heading, with the config file's path as FILE. */
async function section(title: string, ...flags: string[]): Promise<string[]> {
  const { stdout } = await gw.cli(['doctor', ...flags]);
  const [, ...lines] = stdout
    .trimEnd()
    .split('\n\n')
    .map((text) => text.replaceAll(join(gw.config, 'config.json'), 'FILE').split('\n'))
    .find(([heading]) => heading === title)!;
  return lines;
}

test('settings without a region, of somebody who has begun', async () => {
  gw.env = {};
  gw.configure({ retries: 1 });
  expect(await section('settings')).toEqual([
    '  ok   config file         FILE',
    '  ok   profile             default (default)',
    '  ok   environment         production (default)',
    '  warn region              not set: every command needs --region',
    `${' '.repeat(24)}fix: to set a default, run: gwtoken config set region eu`,
    '  skip credentials         unknown (no client selected)',
    '  ok   min-ttl             300 s or 20% of the lifetime, whichever is less (default)',
    '  ok   timeout             10 s (default)',
    '  ok   retries             1 (retries in FILE)',
    '  ok   cache               on (default)',
    "  ok   ca-file             built-in CAs, then the system's (default)",
    '  ok   keychain-timeout    60 s on a desktop terminal, else 10 s (default)',
    '  ok   credential-command  none (default)',
  ]);
});

test('the sections in their order, which the exit code goes by, checked under a spinner', async () => {
  const labels: string[] = [];
  const spin = <T>(label: string, work: () => Promise<T>) => {
    labels.push(label);
    return work();
  };
  gw.own = { terminal: { ...PLAIN, hasUnicode: () => true, spin } as never };
  const { stdout } = await gw.cli(['doctor', '--timeout', 'x']);
  expect(stdout.split('\n\n').map((text) => text.split('\n', 1)[0])).toEqual([
    'gwtoken',
    'settings',
    'directories',
    'keychain',
    'region eu',
    'region us',
    'environment',
  ]);
  expect(labels).toEqual(['checking']);
});

test('the version with the form of the program, and in JSON alone', async () => {
  const [version, system] = (await gw.cli(['--version', '--verbose'])).stdout.split('\n');
  expect(await section('gwtoken')).toEqual([`  ok   version             ${version}, ${system}`]);
  expect(JSON.parse((await gw.cli(['doctor', '--json'])).stdout)).toMatchObject({ version });
});

test('credentials that login stored, and a list of them that cannot be read', async () => {
  gw.env = { GWTOKEN_REGION: 'eu' };
  mkdirSync(gw.config, { recursive: true, mode: 0o700 });
  const list = join(gw.config, 'clients.json');
  const client = { client_id: 'id', auth_url: 'https://a.example.com' };
  writeFileSync(list, JSON.stringify({ 'default:production:eu': client }), { mode: 0o600 });
  const credentials = async () => (await section('settings')).slice(4, 6);
  expect((await credentials())[0]).toBe('  ok   credentials         keychain');
  writeFileSync(list, '{');
  expect(await credentials()).toEqual([
    `  warn credentials         config file ${list} contains invalid JSON`,
    `${' '.repeat(24)}fix: fix or delete ${list}`,
  ]);
});

test('settings in a config file that cannot be read are those without one', async () => {
  gw.configure('{');
  expect((await section('settings')).slice(0, 6)).toEqual([
    '  FAIL config file         config file FILE contains invalid JSON',
    `${' '.repeat(24)}fix: fix or delete FILE`,
    '  ok   profile             default (default)',
    '  ok   environment         production (default)',
    '  ok   region              eu (GWTOKEN_REGION)',
    '  ok   credentials         GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
  ]);
});

test('settings are those of the profile, and so are the limits that its endpoints are asked within', async () => {
  gw.env = {};
  const acme = {
    region: 'us',
    'auth-url': 'https://{region}.example.com',
    timeout: '3s',
    'ca-file': '/acme.pem',
  };
  gw.configure({ timeout: '9s', profiles: { acme } });
  const asked: unknown[] = [];
  gw.own = {
    async fetch(url, { timeoutMs, caFile }) {
      asked.push([url, timeoutMs, caFile]);
      return { status: 404, headers: { get: () => null }, body: null };
    },
  };
  expect(await section('settings', '--profile', 'acme')).toEqual([
    '  ok   config file         FILE',
    '  ok   profile             acme (--profile)',
    '  ok   environment         production (default)',
    '  ok   region              us (region of profile acme in FILE)',
    '  warn credentials         none stored by gwtoken login',
    `${' '.repeat(24)}fix: to store them, run: gwtoken login --region us --profile acme`,
    '  ok   min-ttl             300 s or 20% of the lifetime, whichever is less (default)',
    '  ok   timeout             3 s (timeout of profile acme in FILE)',
    '  ok   retries             2 (default)',
    '  ok   cache               on (default)',
    '  ok   ca-file             /acme.pem (ca-file of profile acme in FILE)',
    '  ok   keychain-timeout    60 s on a desktop terminal, else 10 s (default)',
    '  ok   credential-command  none (default)',
  ]);
  expect(asked).toEqual([
    ['https://eu.example.com', 3000, '/acme.pem'],
    ['https://us.example.com', 3000, '/acme.pem'],
  ]);
});

test('with a profile and an environment that are wrong the default ones hold', async () => {
  gw.env = { GWTOKEN_PROFILE: 'Acme', GWTOKEN_SANDBOX: 'yes', GWTOKEN_REGION: 'eu' };
  gw.configure({
    'auth-url': 'https://a.example.com',
    'sandbox.auth-url': 'https://s.example.com',
    timeout: '9s',
    profiles: { default: { timeout: '3s' } },
  });
  expect((await section('settings')).slice(0, 10)).toEqual([
    '  ok   config file         FILE',
    '  FAIL profile             invalid profile name "Acme" (from GWTOKEN_PROFILE)',
    `${' '.repeat(24)}fix: did you mean acme?`,
    `${' '.repeat(24)}fix: use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit`,
    '  FAIL environment         invalid sandbox "yes" (from GWTOKEN_SANDBOX)',
    `${' '.repeat(24)}fix: use 1, true, 0 or false`,
    '  ok   region              eu (GWTOKEN_REGION)',
    '  skip credentials         unknown (no client selected)',
    '  ok   min-ttl             300 s or 20% of the lifetime, whichever is less (default)',
    '  ok   timeout             3 s (timeout of profile default in FILE)',
  ]);
  expect((await section('region eu'))[0]).toBe(
    '  ok   auth URL            https://a.example.com (auth-url in FILE)',
  );
});

test('with limits that are wrong the default ones hold, for the endpoint and the keychain', async () => {
  const limits: unknown[] = [];
  gw.env['GWTOKEN_TIMEOUT'] = gw.env['GWTOKEN_KEYCHAIN_TIMEOUT'] = 'x';
  const endless = new Error('not on this way');
  gw.own = {
    async fetch(_, { timeoutMs }) {
      limits.push(timeoutMs);
      return { status: 404, headers: { get: () => null }, body: null };
    },
    keychain: {
      checkInstalled: async () => {},
      async probe(limitMs) {
        limits.push(limitMs);
        return 'keytar 1';
      },
      get: () => Promise.reject(endless),
      set: () => Promise.reject(endless),
      delete: () => Promise.reject(endless),
      isGuarded: async () => false,
    },
  };
  const { code, stdout } = await gw.cli(['doctor', '--region', 'eu', '--ca-file', '']);
  expect([code, stdout.match(/FAIL \S+/g)]).toEqual([
    2,
    ['FAIL timeout', 'FAIL ca-file', 'FAIL keychain-timeout'],
  ]);
  expect(limits).toEqual([undefined, 10_000]);
  gw.env['GWTOKEN_TIMEOUT'] = '4s';
  gw.env['GWTOKEN_KEYCHAIN_TIMEOUT'] = '5s';
  expect(await gw.cli(['doctor', '--region', 'eu'])).toMatchObject({ code: 0 });
  expect(limits.slice(2)).toEqual([5000, 4000]);
});

test('the auth URLs: where none is set for any region each is missed, and else only that of the one in use', async () => {
  gw.env = {};
  gw.configure({ retries: 1 });
  const first = async (title: string, ...flags: string[]) => (await section(title, ...flags)).slice(0, 1);
  const missed = (region: string) => [`  FAIL auth URL            no auth URL set for region ${region}`];
  for (const region of ['eu', 'us']) expect(await first(`region ${region}`)).toEqual(missed(region));
  gw.configure({ 'auth-url.eu': 'https://a.example.com' });
  expect((await first('region eu'))[0]).toBe(
    '  ok   auth URL            https://a.example.com (auth-url.eu in FILE)',
  );
  expect(await first('region us')).toEqual(['  skip auth URL            not set']);
  expect(await first('region us', '--region', 'us')).toEqual(missed('us'));
  gw.configure({ 'auth-url.eu': 'https://a.example.com', profiles: { acme: { region: 'us' } } });
  expect(await first('region us', '--profile', 'acme')).toEqual(missed('us'));
  const none = ['  skip auth URL            not set'];
  gw.configure({ region: 'eu' });
  expect([await first('region eu'), await first('region us')]).toEqual([missed('eu'), none]);
  // One that is wrong is there all the same.
  gw.configure({ 'auth-url.eu': 'a.example.com' });
  expect((await first('region eu'))[0]).toBe(
    '  FAIL auth URL            auth URL "a.example.com" (from auth-url.eu in FILE) is not a URL',
  );
  expect(await first('region us')).toEqual(none);
});

test('the auth URL is that of the environment and the profile', async () => {
  gw.env = {};
  const profiles = { acme: { 'sandbox.auth-url': 'https://acme.example.com' } };
  gw.configure({
    'auth-url': 'https://a.example.com',
    'sandbox.auth-url': 'https://s.example.com',
    profiles,
  });
  for (const [flags, url] of [
    [[], 'a.example.com (auth-url'],
    [['--sandbox'], 's.example.com (sandbox.auth-url'],
    [['--sandbox', '--profile', 'acme'], 'acme.example.com (sandbox.auth-url of profile acme'],
  ] as const)
    expect((await section('region eu', ...flags))[0]).toBe(
      `  ok   auth URL            https://${url} in FILE)`,
    );
});

test('without a failure the report begins with the number of its warnings', async () => {
  gw.env = {
    GWTOKEN_REGION: 'eu',
    GWTOKEN_AUTH_URL: 'https://a.example.com',
    SSL_CERT_FILE: '/no/such/file',
  };
  const { code, stdout } = await gw.cli(['doctor']);
  expect([code, stdout.split('\n', 3)]).toEqual([0, ['No failures, 2 warnings.', '', 'gwtoken']]);
});

describe.skipIf(process.platform !== 'linux')('the keychain', () => {
  const keychain = (own: Partial<Keychain>): Keychain => ({
    checkInstalled: async () => {},
    probe: async () => 'keytar 1',
    get: async () => undefined,
    set: async () => undefined,
    delete: async () => false,
    isGuarded: async () => false,
    ...own,
  });
  const WORKS = [
    '  ok   module              keytar 1',
    '  ok   library             loaded',
    '  ok   session             D-Bus session found',
    '  ok   provider            running',
    '  ok   keyring             default keyring found',
    '  ok   unlocked            yes',
    '  ok   round trip          stored, read and deleted a test item',
  ];

  test('that will ask before it shows the item', async () => {
    gw.env = { GWTOKEN_REGION: 'eu' };
    const asked: string[] = [];
    gw.own = {
      keychain: keychain({
        async isGuarded(account) {
          asked.push(account);
          return true;
        },
      }),
    };
    expect(await section('keychain')).toEqual([
      ...WORKS,
      '  warn item                the keychain may ask before it shows default:production:eu to a program',
      `${' '.repeat(24)}fix: allow it in the dialog within the limit; while a token is cached nothing is asked: gwtoken help keychain`,
    ]);
    expect(asked).toEqual(['default:production:eu']);
    // It would not be asked, or nobody knows for which item.
    for (const env of [inVariables('https://a.example.com'), {}]) {
      gw.env = env;
      expect(await section('keychain')).toEqual(WORKS);
    }
    expect(asked).toHaveLength(1);
  });

  // The stages' results, each in a letter: ok, failed, skipped, unknown.
  test.each<[platform: 'linux' | 'darwin' | 'win32', stages: string, reasons: KeychainReason[]]>([
    ['linux', 'FSSSSSS', ['module-missing', 'not-started']],
    ['linux', 'OFSSSSS', ['library-missing']],
    ['linux', 'OOFSSSS', ['no-session']],
    ['linux', 'OOOFSSS', ['no-provider', 'plugin-missing']],
    ['linux', 'OOOOFSS', ['no-collection']],
    ['linux', 'OOOOOFS', ['locked']],
    ['linux', 'OOOOOOF', ['silent', 'denied']],
    ['linux', 'OOUUUUF', ['timed-out', 'key-mismatch', 'failed']],
    ['linux', 'UUUUUUF', ['crashed']],
    ['darwin', 'OOFSS', ['no-session', 'no-provider', 'no-collection']],
    ['win32', 'OOFSS', ['no-session', 'no-provider']],
    ['win32', 'OOUUF', ['failed']],
  ])('on %s fails at its stage, %s: %j', async (platform, stages, reasons) => {
    gw.env = { GWTOKEN_REGION: 'eu' };
    for (const reason of reasons) {
      const error = keychainError(reason, platform);
      gw.own = { platform, keychain: keychain({ probe: () => Promise.reject(error) }) };
      const { stdout } = await gw.cli(['doctor', '--json']);
      const found = parseDoctor(stdout).checks.filter((check) => check.section === 'keychain');
      const letters = found.map(({ result, message }) =>
        message === 'unknown' ? 'U' : result.slice(0, 1).toUpperCase(),
      );
      expect([reason, letters.join('')]).toEqual([reason, stages]);
      expect(found.find(({ result }) => result === 'failed')).toMatchObject({
        message: error.message,
        hints: error.hints,
        exit_code: 5,
      });
    }
  });

  test('without its module is the first failure of all, unless it is not needed', async () => {
    const missing = () => Promise.reject(keychainError('module-missing', 'linux'));
    gw.own = { keychain: keychain({ checkInstalled: missing, probe: missing }) };
    gw.env = { GWTOKEN_REGION: 'mars' };
    expect(await gw.cli(['doctor'])).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(
        /^gwtoken: error: 3 checks failed; first: gwtoken, keychain module: the keychain module keytar is not installed\n/,
      ),
    });
    const version = expect.stringMatching(/^ {2}ok {3}version {13}0\.0\.0, /);
    expect(await section('gwtoken')).toEqual([
      version,
      '  FAIL keychain module     the keychain module keytar is not installed',
      ...keychainError('module-missing', 'linux').hints.map((hint) => `${' '.repeat(24)}fix: ${hint}`),
    ]);
    gw.env = inVariables('https://a.example.com');
    expect(await section('gwtoken')).toEqual([version]);
  });

  test('at which a person pressed Ctrl-C ends doctor, needed or not', async () => {
    const interrupted = new Interrupted('SIGINT');
    gw.own = { keychain: keychain({ probe: () => Promise.reject(interrupted) }) };
    for (const env of [{ GWTOKEN_REGION: 'eu' }, inVariables('https://a.example.com')]) {
      gw.env = env;
      await expect(gw.cli(['doctor'])).rejects.toBe(interrupted);
    }
  });

  test('that is not needed, where it lacks something and where it only did not work', async () => {
    const failing = (reason: 'no-provider' | 'failed') => {
      const probe = async () => {
        throw keychainError(reason, 'linux');
      };
      gw.own = { keychain: keychain({ probe }) };
      return section('keychain');
    };
    const fixes = (reason: 'no-provider' | 'failed') =>
      keychainError(reason, 'linux').hints.map((hint) => `${' '.repeat(24)}fix: ${hint}`);
    expect(fixes('no-provider').length).toBeGreaterThan(0);
    const pair = 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET';
    expect(await failing('no-provider')).toEqual([
      '  ok   module              installed',
      ...WORKS.slice(1, 3),
      `  warn provider            no keychain service is running in this session (not needed: credentials come from ${pair})`,
      ...fixes('no-provider'),
      '  skip keyring             skipped',
      '  skip unlocked            skipped',
      '  skip round trip          skipped',
    ]);
    const failed = (place: string) => [
      '  ok   module              installed',
      WORKS[1],
      ...['session ', 'provider', 'keyring ', 'unlocked'].map((name) => `  skip ${name}            unknown`),
      `  warn round trip          unexpected keychain error (not needed: credentials come from ${place})`,
      ...fixes('failed'),
    ];
    expect(await failing('failed')).toEqual(failed(pair));

    gw.env = { GWTOKEN_REGION: 'eu' };
    gw.configure({ 'credential-command': 'false' });
    expect(await failing('failed')).toEqual(failed('credential-command in FILE'));
  });
});
