/** `gwtoken status`: its table, its JSON, and what it says about a client that cannot be used. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Keychain } from '../../src/world';
import { inVariables } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

const A = 'https://a.example.com';
const B = 'https://b.example.com';
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {};
});

const login = (...flags: string[]) =>
  gw.login({ authUrl: A, clientId: 'id', flags: ['--no-verify', ...flags] });
const status = async (...flags: string[]) => {
  const { code, stdout, stderr } = await gw.cli(['status', ...flags]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
const clients = async (...flags: string[]) => JSON.parse(await status('--json', ...flags)).clients;
/** What stands below the table, with the config file's path as FILE. */
const findings = async (...flags: string[]) =>
  (await status(...flags)).replaceAll(`${gw.config}/config.json`, 'FILE').split('\n\n')[1];

describe('status lists', () => {
  test('the clients by name, the one that flags select marked; it opens no keychain and sends nothing', async () => {
    await login('--client-id', 'eu-sandbox-0002', '--sandbox');
    await login('--client-id', 'eu-client-0001');
    await login('--client-id', 'eu-acme9', '--profile', 'acme');
    await gw.get('--profile', 'acme');
    gw.own = { keychain: {} as Keychain, postForm: () => Promise.reject(new Error('sent')) };
    const listed = `  CLIENT                 CLIENT ID  SOURCE    TOKEN       AUTH URL
  acme:production:eu     eu-acme9   keychain  1 h left    ${A}
* default:production:eu  eu-c…0001  keychain  not cached  ${A}
  default:sandbox:eu     eu-s…0002  keychain  not cached  ${A}
`;
    expect(await status()).toBe(listed);
    const lines = (await status('--sandbox')).split('\n');
    expect(lines.filter((line) => line.startsWith('*'))).toEqual([
      expect.stringContaining('default:sandbox:eu'),
    ]);
  });

  test('nothing on a new machine, and names the next command', async () => {
    expect(await status()).toBe(
      'No stored clients. To add one, run: gwtoken login (without a keychain: gwtoken help keychain)\n',
    );
    expect(await clients()).toEqual([]);
  });

  test('what is left of a token, and none that has expired', async () => {
    await login();
    await gw.get();
    for (const left of ['1 h left', '0 s left', 'not cached']) {
      expect(await status()).toContain(`  id         keychain  ${left}  `);
      gw.nowMs += left === '1 h left' ? 3_599_999 : 1;
    }
    expect(await clients()).toMatchObject([{ token: null }]);
  });

  test('as JSON each member from where it belongs', async () => {
    await login('--region', 'us', '--sandbox', '--client-id', 'a-client-id');
    await gw.get('--sandbox');
    expect(await clients()).toMatchObject([
      { name: 'default:production:us', selected: true },
      { selected: false },
    ]);
    expect(await clients('--sandbox')).toEqual([
      {
        name: 'default:sandbox:us',
        profile: 'default',
        environment: 'sandbox',
        region: 'us',
        selected: true,
        credentials: { source: 'keychain', name: 'keychain item gwtoken, default:sandbox:us' },
        client_id: 'a-cl…t-id',
        auth_url: A,
        token: {
          expires_at: new Date(gw.nowMs + 3_600_000).toISOString().replace(/\.\d+/, ''),
          expires_in: 3600,
        },
      },
    ]);
  });
});

describe('status says', () => {
  test('once that variables override what is stored, and shows whose they are', async () => {
    await login();
    await login('--sandbox');
    await login('--profile', 'acme');
    gw.env = inVariables(A);
    const shown = (await clients()).map(
      ({ name, credentials, client_id }: Record<string, { source: string }>) =>
        `${name} ${credentials?.source} ${client_id}`,
    );
    expect(shown).toEqual([
      'acme:production:eu keychain id',
      'default:production:eu variables client',
      'default:sandbox:eu variables client',
    ]);
    expect(await findings()).toBe(
      'warn GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET override the stored credentials\n',
    );
    // As get does: a profile named by flag skips the variables.
    expect(await findings('--profile', 'acme')).toBe(await findings());
  });

  test('that the selected client has no credentials', async () => {
    await login();
    expect(await status('--sandbox')).toContain(
      '\n* default:sandbox:eu     unknown    keychain  not cached  ',
    );
    expect(await findings('--sandbox')).toBe(
      'warn no stored credentials for default:sandbox:eu\n' +
        '  hint: to store credentials, run: gwtoken login --region eu --sandbox\n' +
        '  hint: or set GWTOKEN_SANDBOX_CLIENT_ID_EU and GWTOKEN_SANDBOX_CLIENT_SECRET_EU (gwtoken help keychain)\n',
    );
  });

  test('that a client is stored for another auth URL than the settings have, or for one that they lost', async () => {
    await login('--profile', 'acme');
    const hint = '  hint: to log in again, run: gwtoken login --region eu --profile acme\n';
    gw.configure({ profile: 'acme', region: 'eu', 'auth-url.eu': B });
    expect(await findings()).toBe(
      `warn acme:production:eu was stored for ${A}, but auth-url.eu in FILE says ${B}\n${hint}`,
    );
    gw.configure({ profile: 'acme', region: 'eu' });
    expect(await status()).toMatch(/ id +keychain +not cached +not set\n/);
    expect(await findings()).toBe(
      `warn acme:production:eu was stored for ${A}, but no auth URL is set\n${hint}`,
    );
  });

  test('that no client is selected', async () => {
    await login();
    gw.configure({ 'auth-url': A });
    expect(await findings()).toBe(
      'warn no client selected: no region set\n  hint: to select one, add --region, or run: gwtoken config set region eu\n',
    );
  });
});
