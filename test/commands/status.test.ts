/** `gwtoken status --json`; the table is in test/sessions/text/status.txt. */
import { expect, test } from 'vitest';
import { inVariables } from '../harness/homes/client';
import { inside } from '../harness/homes/in-process';

const AUTH_URL = 'https://a.example.com';

test('status --json has one field for each fact of a client', async () => {
  const gw = inside();
  gw.env = {};
  const clients = async (...flags: string[]) => {
    const { code, stdout, stderr } = await gw.cli(['status', '--json', ...flags]);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout).clients;
  };
  expect(await clients()).toEqual([]);
  const clientId = 'a-client-id';
  await gw.login({ authUrl: AUTH_URL, clientId, region: 'us', flags: ['--no-verify', '--sandbox'] });
  await gw.get('--sandbox');
  expect(await clients()).toMatchObject([{ name: 'default:sandbox:us', selected: false }]);
  const sandbox = {
    name: 'default:sandbox:us',
    profile: 'default',
    environment: 'sandbox',
    region: 'us',
    selected: true,
    credentials: { source: 'keychain', name: 'keychain item gwtoken, default:sandbox:us' },
    client_id: clientId,
    auth_url: AUTH_URL,
    token: {
      expires_at: new Date(gw.nowMs + 3_600_000).toISOString().replace(/\.\d+/, ''),
      expires_in: 3600,
    },
  };
  expect(await clients('--sandbox')).toEqual([sandbox]);
  gw.nowMs += 3_600_000;
  expect(await clients('--sandbox')).toEqual([{ ...sandbox, token: null }]);
  gw.env = inVariables(AUTH_URL);
  expect(await clients('--sandbox')).toMatchObject([
    {},
    { client_id: 'client', credentials: { source: 'variables' } },
  ]);
});
