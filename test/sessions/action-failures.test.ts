/** What the action does when it cannot give a token. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { client, type Job, NO_NODE, NODE, openJob, type Servers, startServers } from './action-job';

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});

let job: Job;
beforeEach(({ skip }) => {
  skip(NODE === undefined, NO_NODE);
  job = openJob();
});

describe('fails, and writes nothing', () => {
  test.each<[string, Record<string, string>, number, string]>([
    ['a refused client', { 'client-secret': 'wrong' }, 3, 'rejected the credentials'],
    ['a client of the other region', { 'client-id': 'us-client' }, 3, 'rejected the credentials'],
    [
      'no secret, as in a fork',
      { 'client-secret': '' },
      2,
      '::error title=gwtoken::input client-secret is empty (CI systems withhold secrets from forks)\nhint: set client-secret under "with" in the step\n',
    ],
    ['no region', { region: '' }, 2, 'input region is empty\n'],
    ['an unknown region', { region: 'mars' }, 2, '"mars" (from input region)'],
    ['no auth URL', { 'auth-url': '' }, 2, 'input auth-url is empty\n'],
    ['a sandbox that is neither', { sandbox: 'yes' }, 2, '"yes" (from input sandbox)'],
    ['a life that no token has', { 'min-ttl': '2h' }, 7, 'input min-ttl requires more than 7200 s'],
    [
      'an export-env of two lines',
      { 'export-env': 'true\n::stop-commands::x' },
      2,
      'value "true\\n::stop-commands::x" (from input export-env)',
    ],
    [
      'an export-env that is neither',
      { 'export-env': 'yes' },
      2,
      '"yes" (from input export-env)\nhint: use 1, true, 0 or false',
    ],
  ])('with %s', async (_, more, code, says) => {
    const result = await job.run({ ...servers.inputsFor('eu'), 'export-env': 'true', ...more });
    expect(result.code).toBe(code);
    expect(result.output).toContain(says);
    expect(result.outputs).toEqual({});
    expect(result.env).toEqual({});
    expect(result.log.masks).toEqual([]);
    expect(result.output).not.toContain(client('eu').clientSecret);
  });

  test('a refusal, whose hints name the inputs of the step', async () => {
    const other = { 'client-id': 'us-client' };
    const hint = 'hint: if the client belongs to region us, use';
    const { output } = await job.run({ ...servers.inputsFor('eu'), ...other });
    expect(output).toContain(`${hint} region: us\n`);
    const ofSandbox = await job.run({ ...servers.inputsFor('eu'), ...other, sandbox: 'true' });
    expect(ofSandbox.output).toContain(`${hint} region: us sandbox: true\n`);
  });

  test('a file of the runner that cannot be written: the token is masked before', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs POSIX limits');
    const node = join(job.dir, 'node');
    // By bash, since dash passes no variable on whose name has a hyphen.
    writeFileSync(node, `#!/bin/bash\nulimit -f 0\nexec '${NODE}' "$@"\n`, { mode: 0o755 });
    const { code, output, outputs, log } = await job.run(servers.inputsFor('eu'), node);
    expect(code).toBe(1);
    expect(output).toMatch(
      /^::error title=gwtoken::cannot append to \S+set_output \(from GITHUB_OUTPUT\): EFBIG\nhint: check the free disk space and the file's permissions\n$/m,
    );
    expect(outputs).toEqual({});
    expect(log.masks).toEqual([servers.identity.eu.issued.at(-1)]);
  });

  test('neither id nor secret, as in a fork that has both as secrets', async () => {
    const result = await job.run({ ...servers.inputsFor('eu'), 'client-id': '', 'client-secret': '' });
    expect(result.code).toBe(2);
    expect(result.output).toContain(
      'input client-id and input client-secret are empty (CI systems withhold secrets from forks)\nhint: set client-id and client-secret under "with" in the step\n',
    );
    expect(result.outputs).toEqual({});
  });
});
