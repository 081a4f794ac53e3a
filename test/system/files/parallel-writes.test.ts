import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { checkWritable } from '../../../src/system/files/config-store';
import { onCleanup } from '../../harness/clean-up';
import { startIdentityServer } from '../../harness/endpoints/identity-server';
import { MACHINE } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';
import { keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';

const MANY = 20;
const profiles = Array.from({ length: MANY }, (_, index) => `p${index}`);

test('of 20 parallel config set none is lost, whichever key and profile', async () => {
  const home = openHome();
  const results = await Promise.all(
    profiles.map((profile, index) =>
      home.gwtoken(
        index % 2 === 0
          ? ['config', 'set', 'timeout', `${index + 1}s`, '--profile', profile]
          : [
              'config',
              'set',
              ['retries', 'cache', 'region', 'min-ttl', 'sandbox'][index % 5]!,
              ['3', 'on', 'us', '5m', '1'][index % 5]!,
            ],
      ),
    ),
  );
  for (const result of results) expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(join(home.config, 'config.json'), 'utf8'))).toEqual({
    retries: 3,
    cache: 'on',
    region: 'us',
    'min-ttl': '5m',
    sandbox: true,
    profiles: Object.fromEntries(
      profiles.flatMap((name, index) => (index % 2 === 0 ? [[name, { timeout: `${index + 1}s` }]] : [])),
    ),
  });
});

test('of 20 parallel logins none is lost: item, known client and settings', async ({ skip }) => {
  const unavailable = keyringAvailable();
  skip(unavailable !== undefined, unavailable);
  const clients = profiles.map((name) => ({ clientId: `id-${name}`, clientSecret: `secret-${name}` }));
  const identity = await startIdentityServer({ clients });
  const keyring = await startKeyring({ state: 'unlocked' });
  const home = openHome(keyring.env);

  const results = await Promise.all(
    profiles.map((name) =>
      home.gwtoken(
        [
          'login',
          '-p',
          name,
          '-r',
          'eu',
          '--timeout',
          '1m',
          '--auth-url',
          identity.authUrl,
          '--client-id',
          `id-${name}`,
          '--secret-stdin',
        ],
        { stdin: `secret-${name}`, env: { GWTOKEN_KEYCHAIN_TIMEOUT: '1m' }, timeoutMs: 60_000 },
      ),
    ),
  );
  for (const { code, stdout, stderr } of results)
    expect({ code, stdout, error: /error|warning/.test(stderr) && stderr }).toEqual({
      code: 0,
      stdout: '',
      error: false,
    });
  const read = (name: string) => JSON.parse(readFileSync(join(home.config, name), 'utf8')) as unknown;
  const entries = <T>(value: (name: string) => T) => profiles.map((name) => [name, value(name)] as const);
  expect(read('config.json')).toEqual({
    profiles: Object.fromEntries(entries(() => ({ 'auth-url.eu': identity.authUrl, region: 'eu' }))),
  });
  expect(read('clients.json')).toEqual(
    Object.fromEntries(
      profiles.map((name) => [
        `${name}:production:eu`,
        { client_id: `id-${name}`, auth_url: identity.authUrl },
      ]),
    ),
  );
  for (const name of profiles)
    expect(await keyring.lookup(`${name}:production:eu`)).toContain(`"client_secret":"secret-${name}"`);
}, 90_000);

test('a config file that another process makes while it is looked for is no bug', async ({ skip }) => {
  skip(process.platform === 'win32', 'needs sh');
  const home = openHome();
  const file = join(home.dir, 'config.json');
  const other = spawn('sh', ['-c', 'while :; do : >"$0"; rm -f "$0"; done', file], { stdio: 'ignore' });
  onCleanup(() => other.kill('SIGKILL'));
  const faults = Array.from({ length: 5000 }, () => {
    try {
      checkWritable(home.dir, MACHINE);
      return undefined;
    } catch (error) {
      return error;
    }
  });
  expect(faults.filter((each) => each !== undefined && !(each instanceof GwtokenError))).toEqual([]);
});
