/** `gwtoken status`: its table, its JSON, and what it says about each client. */
import { beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../src/errors';
import { Interrupted } from '../../src/signals';
import { keychainError } from '../../src/system/keychain/errors';
import type { Keychain, KeychainReason } from '../../src/world';
import { noting } from '../documents/grammar';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables, withoutVariables } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';
import { parseStatus } from './reports';

const A = 'https://a.example.com';
const B = 'https://b.example.com';
const SELECTED = { name: 'default:production:eu', selected: true };
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const status = async (...flags: string[]) => (await gw.cli(['status', ...flags])).stdout;
const clients = async (...flags: string[]) => parseStatus(await status('--json', ...flags)).clients;
/** What stands below the table, a paragraph each. */
const below = async (...flags: string[]) => (await status(...flags)).trimEnd().split('\n\n').slice(1);

async function login(...flags: string[]): Promise<void> {
  await gw.login({ authUrl: A, clientId: 'id', flags: ['--no-verify', ...flags] });
}

/** A keychain that only fails, each time it is read. */
function keychainFailing(error: Error): { asked: number } {
  const seen = { asked: 0 };
  const get = () => {
    seen.asked++;
    return Promise.reject(error);
  };
  gw.own = { ...gw.own, keychain: { get } as unknown as Keychain };
  return seen;
}

describe('status lists', () => {
  beforeEach(() => {
    gw.env = {};
  });

  test('the selected client first, the others by name, and opens no keychain', async () => {
    await login('--client-id', 'eu-sandbox-0002', '--sandbox');
    await login('--client-id', 'eu-client-0001');
    await login('--client-id', 'eu-acme9', '--profile', 'acme');
    await gw.get('--profile', 'acme');
    const keychain = keychainFailing(new Error('opened'));
    expect(await gw.cli(['status'])).toEqual({
      code: 0,
      stderr: '',
      stdout: `  CLIENT                 CLIENT ID  TOKEN       AUTH URL
* default:production:eu  eu-c…0001  not cached  ${A}
  acme:production:eu     eu-acme9   1 h left    ${A}
  default:sandbox:eu     eu-s…0002  not cached  ${A}
`,
    });
    const named = await clients('--profile', 'acme');
    expect(named.map(({ name, selected }) => [name, selected])).toEqual([['acme:production:eu', true]]);
    expect(keychain.asked).toBe(0);
  });

  test('nothing on a new machine, and names the next command', async () => {
    const stdout = 'No stored clients. To add one, run: gwtoken login\n';
    expect(await gw.cli(['status'])).toEqual({ code: 0, stdout, stderr: '' });
    expect(await clients()).toEqual([]);
    expect(await gw.cli(['status', '--check'])).toMatchObject({ code: 2, stdout });
  });

  test('no client that a wrong flag could mean', async () => {
    for (const [flag, value, said] of [
      ['--region', 'mars', 'invalid region "mars" (from --region)'],
      ['--profile', 'a b', 'invalid profile name "a b" (from --profile)'],
    ] as const)
      expect(await gw.cli(['status', '--json', flag, value])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`gwtoken: error: ${said}\n`),
      });
  });

  test('variables for their client only, and the others by their own settings', async () => {
    await login();
    await login('--profile', 'acme');
    gw.env = inVariables('https://v.example.com');
    const shown = async (...flags: string[]) =>
      (await clients(...flags)).map(({ name, credentials, client_id, auth_url, bound_to }) =>
        [name, credentials['source'], client_id, auth_url, bound_to ?? 'not bound'].join(' '),
      );
    expect(await shown('--auth-url', B)).toEqual([
      `default:production:eu variables client ${B} not bound`,
      `acme:production:eu keychain id https://v.example.com ${A}`,
    ]);
  });

  test('the ID that a cached token tells if login has stored none, else none', async () => {
    gw.env = withoutVariables(inVariables(A));
    const item = { client_id: 'eu-client-0001', client_secret: 'canary-secret', auth_url: A };
    gw.items.set('default:production:eu', JSON.stringify(item));
    expect(await status()).toContain('default:production:eu  none stored  not cached');
    await gw.get();
    expect(await status()).toContain('default:production:eu  eu-c…0001  1 h left');
  });
});

describe('status tells why none is selected:', () => {
  test.each<[why: string, env: Record<string, string>, message: string]>([
    ['no region', {}, 'no region set'],
    ['a wrong profile', { GWTOKEN_PROFILE: 'Acme' }, 'invalid profile name "Acme" (from GWTOKEN_PROFILE)'],
  ])('%s', async (_, env, message) => {
    gw.env = {};
    await login();
    gw.configure({ 'auth-url': A });
    gw.env = env;
    const [said] = await below();
    expect(said?.split('\n')[0]).toBe(`No client selected: ${message}`);
    expect(await clients('--check')).toMatchObject([{ selected: false, check: { ok: true } }]);
    await gw.cli(['logout', '--all', '--yes']);
    expect(await below()).toEqual(message.startsWith('no region') ? [] : [said]);
    // Nothing to check is no success.
    expect(await gw.cli(['status', '--check'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`gwtoken: error: ${message}\n`),
    });
  });
});

describe('status tells what is wrong with a client:', () => {
  test('it has no credentials', async () => {
    gw.env = { GWTOKEN_REGION: 'eu' };
    expect(await status('--sandbox', '--profile', 'acme')).toBe(
      `  CLIENT           CLIENT ID    TOKEN       AUTH URL
* acme:sandbox:eu  none stored  not cached  not set

warn acme:sandbox:eu: no stored credentials
  hint: to store them, run: gwtoken login --region eu --sandbox --profile acme
`,
    );
  });

  test('its auth URL is not set any more, with the line that sets it', async () => {
    gw.env = {};
    await login('--sandbox', '--profile', 'acme');
    gw.configure({ region: 'eu', sandbox: true, profile: 'acme' });
    const line = `config set auth-url.eu ${A} --profile acme`;
    expect(await below()).toEqual([
      `warn acme:sandbox:eu: the auth URL is not set, but the stored credentials are for ${A}\n  hint: to set it again, run: gwtoken ${line}`,
    ]);
    expect(await clients()).toMatchObject([{ auth_url: null, auth_url_source: null, bound_to: A }]);
    await gw.cli(line.split(' '));
    expect(await below()).toEqual([]);
  });

  test('it is stored for another auth URL, with the line that logs in there', async () => {
    gw.env = {};
    await login('--sandbox', '--profile', 'acme');
    const flags = ['--sandbox', '--profile', 'acme', '--auth-url', 'https://{region}.example.com'];
    expect(await below(...flags)).toEqual([
      `warn acme:sandbox:eu: the auth URL is https://eu.example.com (from --auth-url), but the stored credentials are for ${A}
  hint: to log in at the new auth URL, run: gwtoken login --region eu --sandbox --profile acme --auth-url 'https://{region}.example.com'`,
    ]);
  });

  const PAIR = 'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is empty';
  test.each<[what: string, env: Record<string, string>, cells: string, message: string]>([
    ['a wrong auth URL', { GWTOKEN_AUTH_URL: 'a.test' }, 'not cached +invalid', 'auth URL "a.test" '],
    ['half a pair of variables', { GWTOKEN_CLIENT_SECRET: '' }, 'not cached +https', PAIR],
    ['a wrong limit', { GWTOKEN_TIMEOUT: 'soon' }, 'unknown +https', 'invalid duration "soon" '],
  ])('%s, once, also if a check meets it again', async (_, env, cells, message) => {
    await gw.get();
    gw.env = { ...gw.env, ...env };
    expect(await status()).toMatch(new RegExp(`^\\* default:production:eu +\\w+ +${cells}`, 'm'));
    for (const flags of [[], ['--check']]) {
      const said = await below(...flags);
      expect(said).toEqual([expect.stringContaining(`FAIL default:production:eu: ${message}`)]);
    }
    expect(await gw.cli(['status', '--check'])).toMatchObject({ code: 2 });
    expect((await clients())[0]).toMatchObject({ token: null });
  });
});

test('status shows what is left of a token in two units, and none that has expired', async () => {
  gw.answer = () => tokenReply('token', { expires_in: 7500 });
  await gw.get();
  const endsAtMs = gw.nowMs + 7_500_000;
  for (const [leftMs, left, seconds] of [
    [7_500_000, '2 h 5 min left', 7500],
    [1, '0 s left', 0],
    [0, 'not cached', undefined],
  ] as const) {
    gw.nowMs = endsAtMs - leftMs;
    expect(await status()).toMatch(new RegExp(`  client +${left}  `));
    const token =
      seconds === undefined ? null : { expires_at: new Date(endsAtMs).toISOString(), expires_in: seconds };
    expect(await clients()).toMatchObject([{ token }]);
  }
});

test('status --json has each member from where it belongs', async () => {
  gw.env = {};
  await login('--region', 'us', '--sandbox', '--client-id', 'a-client-id');
  await gw.get('--sandbox');
  const client = {
    name: 'default:sandbox:us',
    profile: 'default',
    environment: 'sandbox',
    region: 'us',
    selected: true,
    credentials: { source: 'keychain', name: 'keychain item gwtoken, default:sandbox:us' },
    client_id: 'a-cl…t-id',
    auth_url: A,
    auth_url_source: `auth-url.us in ${gw.config}/config.json`,
    api_url: null,
    bound_to: A,
    token: { expires_at: new Date(gw.nowMs + 3_600_000).toISOString(), expires_in: 3600 },
    check: null,
  };
  expect(await clients('--sandbox')).toEqual([client]);
  expect(await clients('--sandbox', '--check')).toEqual([
    { ...client, check: { ok: true, expires_in: 3600 } },
  ]);
  const elsewhere = { auth_url: B, auth_url_source: '--auth-url', token: null };
  const check = { ok: false, exit_code: 2 };
  expect(await clients('--sandbox', '--auth-url', B, '--check')).toMatchObject([
    { ...client, ...elsewhere, check },
  ]);
  gw.env = { ...inVariables(A), GWTOKEN_CLIENT_SECRET: '' };
  expect((await clients('--no-sandbox'))[0]?.credentials).toEqual({
    error: expect.stringMatching(/^GWTOKEN_CLIENT_ID is set but/),
    hints: [expect.stringMatching(/^set GWTOKEN_CLIENT_SECRET/)],
    exit_code: 2,
  });
});

describe('status --check', () => {
  test('requests a token for each client; the exit code is that of the first failure', async () => {
    gw.env = {};
    await login();
    await login('--region', 'us', '--auth-url', B);
    const { code, stdout, stderr } = await gw.cli(['status', '--check']);
    expect([code, stderr, stdout.match(/ id +OK +http/g)?.length]).toEqual([0, '', 2]);
    gw.answer = (post) => {
      const [kind, which] = post % 2 === 1 ? (['unreached', 'eu'] as const) : (['bad-reply', 'us'] as const);
      throw failure(kind, `no ${which}`, 'wait');
    };
    const said = 'gwtoken: error: the check failed for 2 of 2 clients (see above)\n';
    expect(await gw.cli(['status', '--check', '--retries', '0'])).toEqual({
      code: 6,
      stdout: `  CLIENT                 CLIENT ID  TOKEN         AUTH URL
* default:production:eu  id         check failed  ${A}
  default:production:us  id         check failed  ${B}

FAIL default:production:eu: no eu
  hint: wait

FAIL default:production:us: no us
  hint: wait
`,
      stderr: said,
    });
    gw.items.clear();
    expect(await gw.cli(['status', '--check'])).toMatchObject({ code: 4 });
  });

  test('of variables needs no keychain; a token without an end is OK too', async () => {
    const keychain = keychainFailing(new Error('opened'));
    gw.answer = () => ({ body: { access_token: 'token', token_type: 'Bearer' } });
    expect(await clients('--check')).toMatchObject([{ ...SELECTED, check: { ok: true, expires_in: null } }]);
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect(await gw.cli(['status', '--check'])).toMatchObject({ code: 3 });
    expect(await clients('--check')).toMatchObject([{ check: { ok: false, exit_code: 3 } }]);
    expect(keychain.asked).toBe(0);
  });

  test.each<[KeychainReason, times: number]>([
    ['locked', 1],
    ['denied', 2],
  ])('of two clients if the keychain says %s asks it %i times', async (reason, times) => {
    gw.env = {};
    await login();
    await login('--region', 'us');
    const error = keychainError(reason, 'linux');
    const keychain = keychainFailing(error);
    const failed = { check: { error: error.message, exit_code: 5 } };
    expect([await clients('--check'), keychain.asked]).toMatchObject([[failed, failed], times]);
  });

  test('of a command goes on behind a locked keychain, with no spinner over its prompt', async () => {
    gw.env = {};
    await login();
    await login('--profile', 'vault');
    const vault = { 'credential-command': 'pass show a' };
    gw.configure({ region: 'eu', 'auth-url': A, profiles: { vault } });
    keychainFailing(keychainError('locked', 'linux'));
    const stdout = Buffer.from('{"client_id":"a-command","client_secret":"a secret"}');
    const labels: string[] = [];
    gw.own = {
      ...gw.own,
      runCredentialCommand: async () => ({ how: 'exited', code: 0, stdout }),
      terminal: noting(labels) as never,
    };
    expect(await clients('--check')).toMatchObject([
      { client_id: 'id', check: { exit_code: 5 } },
      { client_id: 'a-co…mand', credentials: { source: 'command' }, check: { ok: true } },
    ]);
    expect(labels).toEqual([]);
    gw.env = inVariables(A);
    expect(await clients('--check', '--profile', 'default')).toHaveLength(1);
    expect(labels).toEqual(['verifying the credentials']);
  });

  test('ends by a Ctrl-C at what asks for the credentials', async () => {
    gw.env = withoutVariables(gw.env);
    const interrupted = new Interrupted('SIGINT');
    keychainFailing(interrupted);
    await expect(gw.cli(['status', '--check'])).rejects.toBe(interrupted);
  });
});
