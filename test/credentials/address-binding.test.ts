/** A stored secret goes to the auth URL it was verified with and nowhere else: the real program, keyring and sockets. */
import { createServer } from 'node:net';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLIENT, type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { listen } from '../harness/endpoints/listen';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { type Keyring, startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';

describe('a stored secret', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let home: Home;
  /** An auth URL where each connection is counted: a secret would be on its way. */
  let strange: string;
  let connections = 0;
  beforeEach(({ needs }) => {
    needs('keyring');
    connections = 0;
  });
  beforeAll(async () => {
    if (missing('keyring') !== undefined) return;
    identity = await startIdentityServer();
    keyring = await startKeyring({ state: 'unlocked' });
    home = openHome(keyring.env);
    const stranger = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    strange = (await listen(stranger)).url;
    await home.login({ authUrl: identity.authUrl });
  });

  test.for<[string, string[], Record<string, string>]>([
    ['--auth-url', ['--profile', 'default', '--fresh'], {}],
    ['GWTOKEN_AUTH_URL', [], {}],
    ['GWTOKEN_AUTH_URL_EU', ['--no-cache'], {}],
  ])('does not follow %s: code 2, both auth URLs, no connection', async ([source, more, env]) => {
    const isFlag = source.startsWith('-');
    const result = await home.gwtoken(['get', ...(isFlag ? [source, strange] : []), ...more], {
      env: isFlag ? env : { ...env, [source]: strange },
    });
    expectRefusal(result, 2);
    for (const part of [identity.authUrl, 'keychain item', strange, source])
      expect(result.stderr).toContain(part);
    expect(connections).toBe(0);
  });

  test('does not follow the config file either, until login binds it again', async () => {
    await home.gwtoken(['config', 'set', 'auth-url.eu', strange]);
    const result = await home.gwtoken(['get']);
    expectRefusal(result, 2);
    expect(result.stderr).toContain(`${home.config}/config.json`);
    expect(connections).toBe(0);
    await home.login({ authUrl: identity.authUrl });
    expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('made by hand is for its own auth_url, and for none if it has none', async () => {
    const account = 'hand:production:eu';
    const { clientId: client_id, clientSecret: client_secret } = CLIENT;
    const store = (more: object) =>
      keyring.store(account, JSON.stringify({ client_id, client_secret, ...more }));
    const get = (authUrl: string, env = {}) =>
      home.gwtoken(['get', '-p', 'hand', '--no-cache', '--auth-url', authUrl], { env });
    await store({ auth_url: `${identity.authUrl}/` });
    expect(await get(identity.authUrl)).toMatchObject({ code: 0 });
    await store({});
    expectRefusal(await get(identity.authUrl), 2);
    // A stranger's config file, as in an archive that was unpacked, binds nothing.
    const stray = openHome();
    stray.configure({ region: 'eu', 'auth-url': strange });
    const env = { GWTOKEN_CONFIG_DIR: stray.config };
    const result = await home.gwtoken(['get', '-p', 'hand'], { env });
    expectRefusal(result, 2);
    expect(result.stderr).toContain('has no auth_url; nothing was sent');
    expectRefusal(await home.gwtoken(['get'], { env }), 2);
    expect(connections).toBe(0);
  });
});
