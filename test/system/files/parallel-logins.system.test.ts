/** Logins at the same time, with a real keyring: none is lost. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { openHome } from '../../harness/homes/home';
import { startKeyring } from '../../harness/keyrings/keyring';

const profiles = Array.from({ length: 20 }, (_, index) => `p${index}`);

test('of 20 parallel logins none is lost: item, stored client and settings', async ({ needs }) => {
  needs('keyring');
  const endpoint = await startTokenEndpoint();
  const keyring = await startKeyring({ state: 'unlocked' });
  const home = openHome({ ...keyring.env, GWTOKEN_KEYCHAIN_TIMEOUT: '1m' });
  const { authUrl } = endpoint;
  await Promise.all(
    profiles.map((name) =>
      home.login({
        authUrl,
        clientId: `id-${name}`,
        clientSecret: `secret-${name}`,
        flags: ['-p', name, '--timeout', '1m'],
      }),
    ),
  );
  const read = (name: string) => JSON.parse(readFileSync(join(home.config, name), 'utf8')) as unknown;
  expect(read('config.json')).toEqual({
    profiles: Object.fromEntries(profiles.map((name) => [name, { 'auth-url.eu': authUrl, region: 'eu' }])),
  });
  expect(read('clients.json')).toEqual(
    Object.fromEntries(
      profiles.map((name) => [`${name}:production:eu`, { client_id: `id-${name}`, auth_url: authUrl }]),
    ),
  );
  for (const name of profiles)
    expect(await keyring.lookup(`${name}:production:eu`)).toContain(`"client_secret":"secret-${name}"`);
});
