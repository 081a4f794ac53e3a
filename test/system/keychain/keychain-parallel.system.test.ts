import { expect, test } from 'vitest';
import { startIdentityServer } from '../../harness/endpoints/identity-server';
import { startKeyring } from '../../harness/keyrings/keyring';
import { runProgram } from '../../harness/programs/program';

const PROCESSES = 20;
const clients = ['first', 'second'].map((name) => ({
  clientId: `${name}-client`,
  clientSecret: `${name}-secret-`.repeat(40),
}));

test(`${PROCESSES} processes log in and read one client at once: no torn item, no error`, async ({
  needs,
}) => {
  needs('keyring');
  const identity = await startIdentityServer({ clients });
  const keyring = await startKeyring({ state: 'unlocked' });
  // So many programs at once on two processors take their time, which is not what is tried here.
  const patient = { GWTOKEN_KEYCHAIN_TIMEOUT: '2m', GWTOKEN_TIMEOUT: '2m' };
  const env = { ...keyring.env, ...patient, GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: identity.authUrl };
  const run = (args: readonly string[], stdin = '') => runProgram(args, { env, stdin, timeoutMs: 170_000 });
  const login = (index: number) => {
    const { clientId, clientSecret } = clients[index % 2]!;
    return run(['login', '--client-id', clientId, '--secret-stdin'], clientSecret);
  };
  expect((await login(0)).code).toBe(0);

  // Each item holds an id with its own secret: a mixture of two would be refused with exit code 3.
  const results = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      index % 5 === 0 ? login(index / 5) : run(['get', '--no-cache']),
    ),
  );
  expect(results.filter(({ code }) => code !== 0)).toEqual([]);
  expect((await keyring.search('gwtoken')).match(/^\[/gm)).toHaveLength(1);
  expect(await keyring.search('gwtoken-probe')).toBe('');
}, 180_000);
