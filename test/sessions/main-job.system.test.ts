/**
 * One session with real parts, from the first login to the last logout. Each test continues the one before. The
 * executable plays it; test/tools/demo.ts shows the same job with the package.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { filesBelow } from '../harness/homes/files';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { type Keyring, startKeyring, UNHURRIED } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { executable, type ProgramOptions } from '../harness/programs/program';

const clients = {
  eu: { clientId: 'eu-client', clientSecret: 'eu-secret+/=&%' },
  acme: { clientId: 'acme-client', clientSecret: 'acme-secret' },
  sandbox: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
  us: { clientId: 'us-client', clientSecret: 'us-secret' },
};

let eu: IdentityServer;
let us: IdentityServer;
let keyring: Keyring;
let home: Home;
beforeAll(async () => {
  if (missing('keyring') !== undefined) return;
  eu = await startIdentityServer({ clients: [clients.eu, clients.acme, clients.sandbox] });
  us = await startIdentityServer({ clients: [clients.us] });
  keyring = await startKeyring({ state: 'unlocked' });
  home = openHome({ ...keyring.env, ...UNHURRIED });
});
beforeEach(({ needs }) => needs('keyring'));

const gwtoken = (args: readonly string[], more: Partial<ProgramOptions> = {}) =>
  home.gwtoken(args, { ...more, program: [executable()] });
const login = (client: { clientId: string; clientSecret: string }, ...flags: string[]) =>
  gwtoken(['login', ...flags, '--client-id', client.clientId, '--secret-stdin'], {
    stdin: `${client.clientSecret}\n`,
  });
const get = async (...flags: string[]) => {
  const result = await gwtoken(['get', ...flags]);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
};
/** Returns the client of the last token request at a server. */
const lastClient = ({ requests }: IdentityServer) =>
  new URLSearchParams(requests.at(-1)?.body).get('client_id');

test('login stores the client in the keychain with its auth URL', async () => {
  const result = await login(clients.eu, '--region', 'eu', '--auth-url', eu.authUrl);
  expect(result).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse((await keyring.lookup('default:production:eu')) ?? '')).toEqual({
    client_id: clients.eu.clientId,
    client_secret: clients.eu.clientSecret,
    auth_url: eu.authUrl,
  });
});

test('get prints the token on stdout and nothing on stderr', async () => {
  const token = await get();
  expect(token).toMatch(/^[\w-]{20,}\n$/);
  expect(eu.issued).toContain(token.trim());
  expect(await get('--format', 'header')).toBe(`Authorization: Bearer ${token}`);
  expect(JSON.parse(await get('--format', 'json'))).toMatchObject({
    access_token: token.trim(),
    region: 'eu',
    environment: 'production',
    profile: 'default',
    auth_url: eu.authUrl,
    source: 'cache',
  });
});

test('doctor finds no problem', async () => {
  expect(await gwtoken(['doctor'])).toMatchObject({ code: 0, stderr: '' });
});

test('sandbox, the other region and a profile are separate clients', async () => {
  for (const flags of [['--sandbox'], ['--profile', 'acme'], ['--region', 'us']])
    expectRefusal(await gwtoken(['get', ...flags]), 4);

  const logins = [
    await login(clients.sandbox, '--sandbox', '--auth-url', eu.authUrl),
    await login(clients.us, '--region', 'us', '--auth-url', us.authUrl),
    await login(clients.acme, '--profile', 'acme', '--auth-url', eu.authUrl),
  ];
  expect(logins.map(({ code }) => code)).toEqual([0, 0, 0]);

  await get('--sandbox', '--no-cache');
  expect(lastClient(eu)).toBe('sandbox-client');
  await get('-p', 'acme', '--no-cache');
  expect(lastClient(eu)).toBe('acme-client');
  await get('--no-cache');
  expect(lastClient(eu)).toBe('eu-client');
  await get('-r', 'us', '--no-cache');
  expect(lastClient(us)).toBe('us-client');
});

test('the files list the clients without their secrets', () => {
  const files = filesBelow(home.dir);
  for (const [path, content] of files)
    for (const { clientSecret } of Object.values(clients))
      expect(content.includes(clientSecret), `${path} has a secret in it`).toBe(false);
  expect(JSON.parse(files.get('config/gwtoken/clients.json')?.toString() ?? '')).toEqual({
    'default:production:eu': { client_id: 'eu-client', auth_url: eu.authUrl, login_id: expect.any(String) },
    'default:sandbox:eu': { client_id: 'sandbox-client', auth_url: eu.authUrl, login_id: expect.any(String) },
    'default:production:us': { client_id: 'us-client', auth_url: us.authUrl, login_id: expect.any(String) },
    'acme:production:eu': { client_id: 'acme-client', auth_url: eu.authUrl, login_id: expect.any(String) },
  });
});

test('get reports a locked keychain, and reads the secret once it is unlocked', async () => {
  await keyring.lock();
  expectRefusal(await gwtoken(['get', '--no-cache'], { env: { GWTOKEN_KEYCHAIN_TIMEOUT: '6' } }), 5);
  await keyring.unlock();
  await get('--no-cache');
});

test('logout removes only the selected client', async () => {
  expect(await gwtoken(['logout', '--yes'])).toMatchObject({ code: 0, stdout: '' });
  expect(await keyring.lookup('default:production:eu')).toBeUndefined();
  expectRefusal(await gwtoken(['get']), 4);
  expectRefusal(await gwtoken(['logout']), 4);
  await get('--sandbox');
});

test('logout --all removes the other clients', async () => {
  expect(await gwtoken(['logout', '--all', '--yes'])).toMatchObject({ code: 0, stdout: '' });
  for (const account of ['default:sandbox:eu', 'default:production:us', 'acme:production:eu'])
    expect(await keyring.lookup(account)).toBeUndefined();
  expectRefusal(await gwtoken(['get', '--sandbox']), 4);
  expect(filesBelow(home.dir).get('config/gwtoken/clients.json')?.toString()).toBe('{}\n');
});
