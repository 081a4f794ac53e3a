/** What the composite action does when it cannot give a token. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { client, type Job, openJob, type Servers, startServers } from './action-job';

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
}, 120_000);

let job: Job;
beforeEach(() => {
  job = openJob(servers.registry);
});

const EMPTY = { 'access-token': '', 'token-type': '', 'expires-at': '', scope: '' };

describe('fails, and writes nothing', () => {
  test.each<[string, Record<string, string>, number, string]>([
    ['a refused client', { 'client-secret': 'wrong' }, 3, 'refused these credentials'],
    ['a client of the other region', { 'client-id': 'us-client' }, 3, 'refused these credentials'],
    [
      'no secret, as in a fork',
      { 'client-secret': '' },
      2,
      'GWTOKEN_CLIENT_SECRET is empty: CI secrets are not given to forks',
    ],
    ['no region', { region: '' }, 2, 'region'],
    ['an unknown region', { region: 'mars' }, 2, '"mars" (from GWTOKEN_REGION)'],
    ['no auth URL', { 'auth-url': '' }, 2, 'auth URL'],
    ['a sandbox that is neither', { sandbox: 'yes' }, 2, '"yes" (from GWTOKEN_SANDBOX)'],
    ['a life that no token has', { 'min-ttl': '2h' }, 7, 'GWTOKEN_MIN_TTL asks for more than 7200 s'],
    ['an export-env of two lines', { 'export-env': 'true\n::stop-commands::x' }, 2, '\\n::stop-commands::x'],
    ['an export-env that is neither', { 'export-env': 'yes' }, 2, 'export-env is yes: use true or false'],
  ])('with %s', { timeout: 60_000 }, async (_, more, code, says) => {
    const result = await job.run({ ...servers.inputsFor('eu'), 'export-env': 'true', ...more });
    expect(result.codes).toEqual([0, code]);
    expect(result.output).toContain(says);
    expect(result.outputs).toEqual(EMPTY);
    expect(result.env).toEqual({});
    expect(result.log.masks).toEqual([]);
    expect(result.output).not.toContain(client('eu').clientSecret);
  });

  test('neither id nor secret, as in a fork that has both as secrets', { timeout: 60_000 }, async () => {
    const result = await job.run({ ...servers.inputsFor('eu'), 'client-id': '', 'client-secret': '' });
    expect(result.codes[1]).toBeGreaterThan(0);
    expect(result.output).toContain('are empty: CI secrets are not given to forks');
    expect(result.outputs).toEqual(EMPTY);
  });
});
