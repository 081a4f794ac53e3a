import { createServer } from 'node:net';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLIENT, type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { listen } from '../harness/endpoints/listen';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { type Keyring, keyringAvailable, startKeyring } from '../harness/keyrings/keyring';

const unavailable = keyringAvailable();

describe('a stored secret goes to the address it was verified against, and nowhere else', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let home: Home;
  /** An address where whoever connects is counted: a secret would be on its way then. */
  let strange: string;
  let connections = 0;
  beforeEach(({ skip }) => skip(unavailable !== undefined, unavailable));
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    identity = await startIdentityServer();
    keyring = await startKeyring({ state: 'unlocked' });
    home = openHome(keyring.env);
    const stranger = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    strange = (await listen(stranger)).url;
    const login = ['login', '-r', 'eu', '--auth-url', identity.authUrl, '--client-id', CLIENT.clientId];
    const result = await home.gwtoken([...login, '--secret-stdin'], { stdin: CLIENT.clientSecret });
    expect(result).toMatchObject({ code: 0 });
  });

  test('the stranger’s port counts', async () => {
    const result = await home.gwtoken(['get', '--retries', '0', '--auth-url', strange], {
      env: { GWTOKEN_CLIENT_ID: 'a', GWTOKEN_CLIENT_SECRET: 'b' },
    });
    expect(result.code).toBe(6);
    expect(connections).toBeGreaterThan(0);
  });

  test.for<[string, string[], string]>([
    ['--auth-url', [], '--auth-url'],
    ['--auth-url', ['--no-cache', '--fresh'], '--auth-url'],
    ['GWTOKEN_AUTH_URL', [], 'GWTOKEN_AUTH_URL'],
    ['GWTOKEN_AUTH_URL', ['--profile', 'default'], 'GWTOKEN_AUTH_URL'],
    ['GWTOKEN_AUTH_URL_EU', ['--min-ttl', '1h'], 'GWTOKEN_AUTH_URL_EU'],
  ])('%s with %j: code 2, both addresses and their sources, no connection', async ([way, more, source]) => {
    connections = 0;
    const flags = way.startsWith('-') ? [way, strange] : [];
    const env = way.startsWith('-') ? {} : { [way]: strange };
    const result = await home.gwtoken(['get', ...flags, ...more], { env });
    expectRefusal(result, 2);
    for (const part of [identity.authUrl, 'keychain item', strange, source])
      expect(result.stderr).toContain(part);
    expect(connections).toBe(0);
  });

  test('config set leads it nowhere else either, until login binds anew', async () => {
    connections = 0;
    await home.gwtoken(['config', 'set', 'auth-url.eu', strange]);
    const result = await home.gwtoken(['get']);
    expectRefusal(result, 2);
    expect(result.stderr).toContain(`${home.config}/config.json`);
    expect(result.stderr).toContain('run: gwtoken login --region eu\n');
    expect(connections).toBe(0);
    await home.gwtoken(['config', 'set', 'auth-url.eu', identity.authUrl]);
    expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('an item made by hand without auth_url belongs to the config file’s address alone', async () => {
    connections = 0;
    const item = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret };
    await keyring.store('hand:production:eu', JSON.stringify(item));
    const get = (env: Record<string, string>, ...flags: string[]) =>
      home.gwtoken(['get', '--profile', 'hand', '--no-cache', ...flags], { env });
    expect(await get({})).toMatchObject({ code: 0, stderr: '' });
    // The same address by another way is the same address.
    expect(await get({ GWTOKEN_AUTH_URL: `${identity.authUrl}/` })).toMatchObject({ code: 0, stderr: '' });
    expectRefusal(await get({ GWTOKEN_AUTH_URL: strange }), 2);
    expectRefusal(await get({}, '--auth-url', strange), 2);

    await home.gwtoken(['config', 'unset', 'auth-url.eu']);
    const nowhere = await get({ GWTOKEN_AUTH_URL: identity.authUrl });
    expectRefusal(nowhere, 2);
    expect(nowhere.stderr).toContain('the auth URL in the config file, which is not set');
    await home.gwtoken(['config', 'set', 'auth-url.eu', identity.authUrl]);
    expect(connections).toBe(0);
  });

  test('an item made by hand may name its address with a slash at the end, or with {region}', async () => {
    for (const [profile, auth_url, code] of [
      ['slash', `${identity.authUrl}/`, 0],
      ['placeholder', `${identity.authUrl}/{region}`, 2],
    ] as const) {
      const item = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, auth_url };
      await keyring.store(`${profile}:production:eu`, JSON.stringify(item));
      expect((await home.gwtoken(['get', '-p', profile])).code).toBe(code);
    }
  });
});

describe('a credential command’s secret goes where the config file or the command itself says, and nowhere else', () => {
  let identity: IdentityServer;
  let strange: string;
  let connections = 0;
  beforeEach(async () => {
    connections = 0;
    identity = await startIdentityServer();
    const stranger = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    strange = (await listen(stranger)).url;
  });
  const printing = (more: object) =>
    `echo '${JSON.stringify({ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, ...more })}'`;

  test.each([['--auth-url'], ['GWTOKEN_AUTH_URL'], ['GWTOKEN_AUTH_URL_EU']])(
    'not where %s says, which is refused by name',
    async (way) => {
      const home = openHome();
      home.configure({
        region: 'eu',
        'auth-url': identity.authUrl,
        'credential-command': printing({}),
      });
      const flags = way.startsWith('-') ? [way, strange] : [];
      const result = await home.gwtoken(['get', ...flags], {
        env: way.startsWith('-') ? {} : { [way]: strange },
      });
      expectRefusal(result, 2);
      for (const part of [identity.authUrl, strange, way]) expect(result.stderr).toContain(part);
      expect(connections).toBe(0);
      expect((await home.gwtoken(['get'])).code).toBe(0);
    },
  );

  test('not to an address of a variable alone, until the command or the config has it', async () => {
    const home = openHome({ GWTOKEN_AUTH_URL: identity.authUrl });
    home.configure({ region: 'eu', 'credential-command': printing({}) });
    const refused = await home.gwtoken(['get']);
    expectRefusal(refused, 2);
    const [, command = ''] = /or run: (gwtoken config set .*)/.exec(refused.stderr) ?? [];
    expect(command).toBe(`gwtoken config set auth-url.eu ${identity.authUrl}`);
    expect(await home.gwtoken(command.split(' ').slice(1))).toMatchObject({ code: 0 });
    expect((await home.gwtoken(['get'])).code).toBe(0);
  });

  test('to the auth_url that the command prints', async () => {
    const home = openHome({ GWTOKEN_AUTH_URL: identity.authUrl });
    home.configure({ region: 'eu', 'credential-command': printing({ auth_url: identity.authUrl }) });
    expect((await home.gwtoken(['get'])).code).toBe(0);
    const elsewhere = await home.gwtoken(['get', '--fresh'], { env: { GWTOKEN_AUTH_URL: strange } });
    expectRefusal(elsewhere, 2);
    expect(elsewhere.stderr).toContain('the output of the credential command');
    expect(connections).toBe(0);
  });
});
