/** login, status and logout with a real keyring and a real stdin. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { onCleanup } from '../harness/clean-up';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { treeOf } from '../harness/homes/files';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { type Keyring, startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import type { ProgramOptions } from '../harness/programs/program';

const client = { clientId: 'eu-client', clientSecret: 'eu-secret+/=&' };
const ACCOUNT = 'default:production:eu';

let identity: IdentityServer;
let keyring: Keyring;
let home: Home;
beforeAll(async () => {
  if (missing('keyring')) return;
  identity = await startIdentityServer({ clients: [client] });
  keyring = await startKeyring({ state: 'unlocked' });
});
beforeEach(({ needs }) => {
  needs('keyring');
  home = openHome(keyring.env);
  onCleanup(() => keyring.clear(ACCOUNT));
});

const login = (stdin: string | Buffer, flags: readonly string[] = [], more: Partial<ProgramOptions> = {}) => {
  const known = ['--region', 'eu', '--auth-url', identity.authUrl, '--client-id', client.clientId];
  return home.gwtoken(['login', ...known, '--secret-stdin', '--retries', '0', ...flags], { stdin, ...more });
};
const stored = async () => {
  const item = await keyring.lookup(ACCOUNT);
  return item === undefined ? undefined : (JSON.parse(item) as Record<string, string>)['client_secret'];
};

test('login stores a secret, status shows it though the keyring is locked, logout removes it', async () => {
  expect(await login(`\ufeff${client.clientSecret}\r\n`)).toMatchObject({ code: 0, stdout: '' });
  expect(await stored()).toBe(client.clientSecret);
  expect(await home.gwtoken(['status', '--check'])).toMatchObject({ code: 0, stderr: '' });
  await keyring.lock();
  const { code, stdout, stderr } = await home.gwtoken(['status']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('* default:production:eu  eu-c…ient  ');
  // Whoever waited for a person would not be back in time.
  const env = { GWTOKEN_KEYCHAIN_TIMEOUT: '60s' };
  expect(await home.gwtoken(['status', '--check'], { env })).toMatchObject({
    code: 5,
    stdout: expect.stringContaining('the keychain is locked'),
  });
  await keyring.unlock();
  expect(await home.gwtoken(['logout', '--all', '--yes'])).toMatchObject({ code: 0 });
  expect(await stored()).toBeUndefined();
});

test.for<[string, string | Buffer, number, string[]]>([
  ['UTF-16', Buffer.from('\ufeffsecret\r\n', 'utf16le'), 2, []],
  ['more than an item holds', 'x'.repeat(2560), 2, []],
  ['a refused secret', 'wrong', 3, []],
  ['an endpoint where nobody listens', client.clientSecret, 6, ['--auth-url', 'http://127.0.0.1:9']],
])('login given %s stores nothing and writes no file', async ([, stdin, code, flags]) => {
  const before = treeOf(home.dir);
  const asked = identity.requests.length;
  expectRefusal(await login(stdin, flags), code);
  expect(await stored()).toBeUndefined();
  expect(treeOf(home.dir)).toEqual(before);
  expect(identity.requests).toHaveLength(code === 3 ? asked + 1 : asked);
});

test('login without a keychain names what is missing first', async () => {
  const none = { env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' } };
  expectRefusal(await home.gwtoken(['login'], none), 2);
  expect((await login('x', [], none)).code).toBe(5);
});
