/** What the action does when it cannot give a token. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { client, type Job, NODE, openJob, type Servers, startServers } from './action-job';

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});

let job: Job;
beforeEach(() => {
  job = openJob();
});

describe('fails, and writes nothing', () => {
  const REJECTED = [
    'URL/oauth2/token rejected the credentials (HTTP 401, invalid_client: client authentication failed)',
    'check the client ID and secret (from input client-id and input client-secret)',
    'if the client belongs to region us, use region: us',
  ];
  const FORK = '(CI systems withhold secrets from forks)';
  const SWITCH = 'use 1, true, 0 or false';
  test.each<[string, Record<string, string>, number, string[]]>([
    ['a refused client', { 'client-secret': 'wrong' }, 3, REJECTED],
    ['a client of the other region', { 'client-id': 'us-client' }, 3, REJECTED],
    [
      'no secret, as in a fork',
      { 'client-secret': '' },
      2,
      [`input client-secret is empty ${FORK}`, 'set client-secret under "with" in the step'],
    ],
    [
      'no id, as in a fork',
      { 'client-id': '' },
      2,
      [`input client-id is empty ${FORK}`, 'set client-id under "with" in the step'],
    ],
    [
      'neither id nor secret, as in a fork that has both as secrets',
      { 'client-id': '', 'client-secret': '' },
      2,
      [
        `input client-id and input client-secret are empty ${FORK}`,
        'set client-id and client-secret under "with" in the step',
      ],
    ],
    [
      'nothing that it needs',
      { region: '', 'auth-url': '', 'client-id': '', 'client-secret': '' },
      2,
      [
        `input region and input auth-url and input client-id and input client-secret are empty ${FORK}`,
        'set region and auth-url and client-id and client-secret under "with" in the step',
      ],
    ],
    ['no region', { region: '' }, 2, ['input region is empty', 'set region under "with" in the step']],
    [
      'an unknown region, told with the escapes that the runner undoes',
      { region: '50%' },
      2,
      ['invalid region "50%25" (from input region)', 'use eu or us'],
    ],
    [
      'no auth URL',
      { 'auth-url': '' },
      2,
      ['input auth-url is empty', 'set auth-url under "with" in the step'],
    ],
    [
      'an auth URL with credentials in it',
      { 'auth-url': 'https://id:secret@a.test' },
      2,
      [
        'auth URL "https://***@a.test" (from input auth-url) contains a user name or password',
        'remove it; client-id and client-secret are inputs of their own',
      ],
    ],
    [
      'a sandbox that is neither',
      { sandbox: 'yes' },
      2,
      ['invalid sandbox "yes" (from input sandbox)', SWITCH],
    ],
    [
      'a life that no token has',
      { 'min-ttl': '2h' },
      7,
      [
        'the token endpoint issues tokens valid for 3600 s, but input min-ttl requires more than 7200 s',
        'lower input min-ttl',
      ],
    ],
    [
      'an export-env of two lines',
      { 'export-env': 'true\n::stop-commands::x' },
      2,
      ['invalid export-env "true\\n::stop-commands::x" (from input export-env)', SWITCH],
    ],
    [
      'an export-env that is neither',
      { 'export-env': 'yes' },
      2,
      ['invalid export-env "yes" (from input export-env)', SWITCH],
    ],
  ])('with %s', async (_, more, code, [message, ...hints]) => {
    const result = await job.run({ ...servers.inputsFor('eu'), 'export-env': 'true', ...more });
    expect(result.code).toBe(code);
    const said = [`::error title=gwtoken::${message}`, ...hints.map((hint) => `hint: ${hint}`)];
    expect(result.output.replaceAll(servers.identity.eu.authUrl, 'URL')).toBe(`${said.join('\n')}\n`);
    expect(result.outputs).toEqual({});
    expect(result.env).toEqual({});
    expect(result.log.masks).toEqual([]);
    expect(result.output).not.toContain(client('eu').clientSecret);
  });

  test('a refusal, whose hints name the inputs of the step', async () => {
    const { output } = await job.run({
      ...servers.inputsFor('us'),
      'client-id': 'eu-client',
      sandbox: 'true',
    });
    expect(output).toContain('hint: if the client belongs to region eu, use region: eu sandbox: true\n');
  });

  test('a silent endpoint after the time of the job, whose variable is what to raise', async () => {
    const endpoint = await startTokenEndpoint();
    endpoint.hold();
    Object.assign(job.env, { GWTOKEN_TIMEOUT: '1s', GWTOKEN_RETRIES: '0' });
    const inputs = { ...servers.inputsFor('eu'), 'auth-url': endpoint.authUrl };
    const { code, output } = await job.run(inputs);
    expect({ code, output: output.replaceAll(endpoint.authUrl, 'URL') }).toEqual({
      code: 6,
      output:
        '::error title=gwtoken::URL/oauth2/token did not answer within 1 s\nhint: check the network and the auth URL, or raise GWTOKEN_TIMEOUT\n',
    });
  });

  test('a CA file of the job that is none, on one line whatever its name is', async () => {
    job.env['GWTOKEN_CA_FILE'] = '/nowhere/50%\n::notice::x';
    const inputs = { ...servers.inputsFor('eu'), 'auth-url': 'https://127.0.0.1:9' };
    const { code, output } = await job.run(inputs);
    expect({ code, output }).toEqual({
      code: 2,
      output:
        '::error title=gwtoken::the CA file /nowhere/50%25\\u000a::notice::x cannot be read (ENOENT)\nhint: pass a PEM file with GWTOKEN_CA_FILE\n',
    });
  });

  test('an authority that is not in the CA file of the job, whose name is on one line', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs POSIX file names');
    const authority = makeAuthority();
    const endpoint = await startTokenEndpoint(undefined, authority.issue({ intermediate: 'left out' }));
    const caFile = join(job.dir, 'ca\n::notice::x.pem');
    writeFileSync(caFile, authority.ca);
    Object.assign(job.env, { GWTOKEN_CA_FILE: caFile, GWTOKEN_RETRIES: '0' });
    const { code, output } = await job.run({ ...servers.inputsFor('eu'), 'auth-url': endpoint.authUrl });
    expect(code).toBe(6);
    expect(output.replaceAll(job.dir, 'DIR').replace(/:\d+ /, ' ').split('\n')).toEqual([
      '::error title=gwtoken::127.0.0.1 is not trusted: its certificate was issued by an unknown CA',
      "hint: DIR/ca\\u000a::notice::x.pem does not contain this CA: pass the CA's PEM file with GWTOKEN_CA_FILE",
      'hint: if the CA is public, the server is not sending its intermediate certificate',
      'hint: if it is self-signed and you trust this server, pass the certificate itself with GWTOKEN_CA_FILE',
      '',
    ]);
  });

  test('too many requests, with what a step can do about them', async () => {
    const endpoint = await startTokenEndpoint(() => ({ status: 429, body: {} }));
    job.env['GWTOKEN_RETRIES'] = '0';
    const inputs = { ...servers.inputsFor('eu'), 'auth-url': endpoint.authUrl };
    const { code, output } = await job.run(inputs);
    expect({ code, output: output.replaceAll(endpoint.authUrl, 'URL') }).toEqual({
      code: 7,
      output:
        '::error title=gwtoken::URL/oauth2/token answered 429\nhint: too many requests: get the token in one step, and use its outputs in the others\n',
    });
  });

  test('an event loop that runs dry', async () => {
    const dry = join(job.dir, 'dry.cjs');
    writeFileSync(
      dry,
      `require('node:net').Socket.prototype.connect = function () { return this; };
       const { setTimeout } = globalThis;
       globalThis.setTimeout = (...call) => setTimeout(...call).unref();`,
    );
    job.env['NODE_OPTIONS'] = `--require=${dry}`;
    expect(await job.run(servers.inputsFor('eu'))).toMatchObject({ code: 1, output: '', outputs: {} });
  });

  test('a file of the runner that is not there: nobody is asked for a token', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX shell');
    const node = join(job.dir, 'node');
    // By bash, since dash passes no variable on whose name has a hyphen.
    writeFileSync(node, `#!/bin/bash\nGITHUB_OUTPUT=/nowhere exec '${NODE}' "$@"\n`, { mode: 0o755 });
    const asked = servers.identity.eu.requests.length;
    expect(await job.run(servers.inputsFor('eu'), node)).toMatchObject({
      code: 2,
      output:
        '::error title=gwtoken::GITHUB_OUTPUT points to /nowhere, which does not exist\nhint: do not change GITHUB_OUTPUT; the runner sets it for each step\n',
    });
    expect(servers.identity.eu.requests).toHaveLength(asked);
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
});
