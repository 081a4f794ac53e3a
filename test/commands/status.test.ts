import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
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

  test('lists them, the one that the settings name first, and opens no keychain', async ({ skip }) => {
    const { identity, keyring, run } = await setUp(skip);
    await keyring.lock();
    const { code, stdout, stderr } = await run(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const path = join(keyring.env['XDG_CONFIG_HOME'] ?? '', 'gwtoken', 'config.json');
    expect(stdout).toBe(`default:production:eu (what the settings name)
  credentials  keychain item gwtoken, default:production:eu
  client id    eu-…001
  auth URL     ${identity.authUrl} (auth-url.eu in ${path})
  token        none cached

acme:production:eu
  credentials  keychain item gwtoken, acme:production:eu
  client id    eu-…003
  auth URL     ${identity.authUrl} (auth-url.eu in ${path})
  token        none cached

default:sandbox:eu
  credentials  keychain item gwtoken, default:sandbox:eu
  client id    eu-…002
  auth URL     ${identity.authUrl} (auth-url.eu in ${path})
  token        none cached
`);
    const other = parseStatus((await run(['status', '--json', '--profile', 'acme'])).stdout);
    expect(other.clients.map(({ name, selected }) => `${name} ${selected}`)).toEqual([
      'acme:production:eu true',
      'default:production:eu false',
      'default:sandbox:eu false',
    ]);
  });

  test('with --check reads each and asks the endpoint; the exit code is that of the first failure', async ({
    skip,
  }) => {
    const { identity, keyring, run } = await setUp(skip);
    const before = identity.issued.length;
    const good = await run(['status', '--check']);
    expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      good.stdout.match(/ {2}check {8}ok {3}the endpoint gave a token that lives 10 min\n/g),
    ).toHaveLength(3);
    expect(identity.issued.length).toBe(before + 3);

    const item = { client_id: 'eu-client-0001', client_secret: 'revoked', auth_url: identity.authUrl };
    await keyring.store('default:production:eu', JSON.stringify(item));
    const bad = await run(['status', '--check', '--json']);
    expect(bad.code).toBe(3);
    expect(bad.stderr).toMatch(
      /^gwtoken: error: check failed: default:production:eu: .* refused these credentials/,
    );
    const checks = parseStatus(bad.stdout).clients.map(({ check }) => check);
    expect(checks).toMatchObject([{ ok: false, exit_code: 3 }, { ok: true, expires_in: 600 }, { ok: true }]);
  });

  test('with --check and a locked keyring fails for all of them at once', async ({ skip }) => {
    const { keyring, run } = await setUp(skip);
    await keyring.lock();
    const { code, stdout, ms } = await run(['status', '--check', '--json']);
    expect(code).toBe(5);
    expect(parseStatus(stdout).clients.map(({ check }) => check?.['error'])).toEqual(
      Array(3).fill('the keychain is locked'),
    );
    expect(ms).toBeLessThan(5000);
  });

  test('tells of an address other than the one that the credentials are bound to', async ({ skip }) => {
    const { identity, run } = await setUp(skip);
    const { stdout } = await run(['status'], { GWTOKEN_AUTH_URL: 'https://elsewhere.example.com' });
    expect(stdout).toContain(
      `  auth URL     warn https://elsewhere.example.com (GWTOKEN_AUTH_URL), but the credentials are bound to ${identity.authUrl}\n               fix: to bind them anew, run: gwtoken login --region eu --auth-url https://elsewhere.example.com\n`,
    );
  });
});

describe('status without stored clients', () => {
  test('of a new installation says what to do first', async () => {
    const home = openHome();
    const { code, stdout, stderr } = await home.gwtoken(['status']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`gwtoken knows no client yet: gwtoken login stores one

The settings name no client: no region set
  fix: new here? run: gwtoken login
  fix: use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu
`);
    expect(parseStatus((await home.gwtoken(['status', '--json'])).stdout)).toEqual({ clients: [] });
    expect((await home.gwtoken(['status', '--check'])).code).toBe(2);
  });

  test('with variables names them, masks the id, and --check does not load the keychain', async () => {
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
        client_id: 'eu-…001',
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
    expect(stdout).toContain(
      '  credentials  FAIL GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is not\n',
    );
    expect(stdout).toContain('  client id    not known\n  auth URL     none\n');
  });
});
