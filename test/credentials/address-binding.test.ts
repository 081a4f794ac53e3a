import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { expectRefusal, openSession, type Session } from '../harness/homes/session';
import { type Keyring, keyringAvailable, startKeyring } from '../harness/keyrings/keyring';

const unavailable = keyringAvailable();
const client = { clientId: 'eu-client', clientSecret: 'eu-secret' };

describe('a stored secret goes to the address it was verified against, and nowhere else', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let session: Session;
  /** Counts whoever connects: a secret would be on its way then. */
  let stranger: Server;
  let strange: string;
  let connections = 0;
  beforeEach(({ skip }) => skip(unavailable !== undefined, unavailable));
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    identity = await startIdentityServer({ region: 'eu', clients: [client] });
    keyring = await startKeyring({ state: 'unlocked' });
    session = openSession(keyring.env);
    stranger = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    strange = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const login = ['login', '-r', 'eu', '--auth-url', identity.authUrl, '--client-id', client.clientId];
    const result = await session.gwtoken([...login, '--secret-stdin'], { stdin: client.clientSecret });
    expect(result).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    session?.remove();
    stranger?.close();
    await Promise.all([identity?.close(), keyring?.stop()]);
  });

  test('the stranger’s port counts', async () => {
    const result = await session.gwtoken(['get', '--retries', '0', '--auth-url', strange], {
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
    const result = await session.gwtoken(['get', ...flags, ...more], { env });
    expectRefusal(result, 2);
    for (const part of [identity.authUrl, 'keychain item', strange, source])
      expect(result.stderr).toContain(part);
    expect(connections).toBe(0);
  });

  test('config set leads it nowhere else either, until login binds anew', async () => {
    connections = 0;
    await session.gwtoken(['config', 'set', 'auth-url.eu', strange]);
    const result = await session.gwtoken(['get']);
    expectRefusal(result, 2);
    expect(result.stderr).toContain(`${session.config}/config.json`);
    expect(result.stderr).toContain('run: gwtoken login --region eu\n');
    expect(connections).toBe(0);
    await session.gwtoken(['config', 'set', 'auth-url.eu', identity.authUrl]);
    expect(await session.gwtoken(['get'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('an item made by hand without auth_url belongs to the config file’s address alone', async () => {
    connections = 0;
    const item = { client_id: client.clientId, client_secret: client.clientSecret };
    await keyring.store('hand:production:eu', JSON.stringify(item));
    const get = (env: Record<string, string>, ...flags: string[]) =>
      session.gwtoken(['get', '--profile', 'hand', '--no-cache', ...flags], { env });
    expect(await get({})).toMatchObject({ code: 0, stderr: '' });
    // The same address by another way is the same address.
    expect(await get({ GWTOKEN_AUTH_URL: `${identity.authUrl}/` })).toMatchObject({ code: 0, stderr: '' });
    expectRefusal(await get({ GWTOKEN_AUTH_URL: strange }), 2);
    expectRefusal(await get({}, '--auth-url', strange), 2);

    await session.gwtoken(['config', 'unset', 'auth-url.eu']);
    const nowhere = await get({ GWTOKEN_AUTH_URL: identity.authUrl });
    expectRefusal(nowhere, 2);
    expect(nowhere.stderr).toContain('the address of the config file, which has none');
    await session.gwtoken(['config', 'set', 'auth-url.eu', identity.authUrl]);
    expect(connections).toBe(0);
  });

  test('an item made by hand may name its address with a slash at the end, or with {region}', async () => {
    for (const [profile, auth_url, code] of [
      ['slash', `${identity.authUrl}/`, 0],
      ['placeholder', `${identity.authUrl}/{region}`, 2],
    ] as const) {
      const item = { client_id: client.clientId, client_secret: client.clientSecret, auth_url };
      await keyring.store(`${profile}:production:eu`, JSON.stringify(item));
      expect((await session.gwtoken(['get', '-p', profile])).code).toBe(code);
    }
  });
});
