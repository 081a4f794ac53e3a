/** A stored secret goes to the auth URL it was verified with and nowhere else: the real program, keyring and sockets. */
import { createServer } from 'node:net';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
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

  test('does not follow a variable: code 2, both auth URLs, no connection; by login it does', async () => {
    const env = { GWTOKEN_AUTH_URL: strange };
    const result = await home.gwtoken(['get'], { env });
    expectRefusal(result, 2);
    for (const part of [identity.authUrl, 'keychain item', strange, 'GWTOKEN_AUTH_URL'])
      expect(result.stderr).toContain(part);
    expect(connections).toBe(0);
    await home.gwtoken(['config', 'set', 'auth-url.eu', strange]);
    await home.login({ authUrl: identity.authUrl });
    expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('does not follow a stranger’s config file, as in an archive that was unpacked', async () => {
    const stray = openHome();
    stray.configure({ region: 'eu', 'auth-url': strange });
    expectRefusal(await home.gwtoken(['get'], { env: { GWTOKEN_CONFIG_DIR: stray.config } }), 2);
    expect(connections).toBe(0);
  });
});
