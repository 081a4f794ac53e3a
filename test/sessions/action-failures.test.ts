/** What the action does if it cannot give a token: the CLI's sentences as an annotation, with inputs for variables. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { client, type Job, NODE, openJob, type Servers, startServers } from './action-job';
import type { ActionRun } from './action-runner';

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});

let job: Job;
beforeEach(() => {
  job = openJob();
});

/** What it says after it has masked the secret; nothing is written, and the secret is in nothing else. */
function said({ output, outputs, env }: ActionRun, authUrl = servers.identity.eu.authUrl): string[] {
  expect([outputs, env]).toEqual([{}, {}]);
  const lines = output.replaceAll(authUrl, 'URL').split('\n').filter(Boolean);
  const rest = lines.filter((line) => !line.startsWith('::add-mask::'));
  expect(rest.join('\n')).not.toContain(client('eu').clientSecret);
  return rest;
}

const FORK = '(CI systems withhold secrets from forks)';
const SWITCH = 'use 1, true, 0 or false';
test.each<[string, Record<string, string>, number, string[]]>([
  [
    'a refused client',
    { 'client-secret': 'wrong' },
    3,
    [
      'URL/oauth2/token rejected the credentials (HTTP 401, invalid_client: client authentication failed)',
      'check the client ID and secret (from input client-id and input client-secret)',
      'if the client belongs to region us, use --region us',
    ],
  ],
  [
    'an empty secret, as in a fork',
    { 'client-secret': '' },
    2,
    [`input client-secret is empty ${FORK}`, 'set client-secret under "with" in the step'],
  ],
  [
    'neither ID nor secret, as in a fork that has both as secrets',
    { 'client-id': '', 'client-secret': '' },
    2,
    [
      `input client-id and input client-secret are empty ${FORK}`,
      'set client-id and client-secret under "with" in the step',
    ],
  ],
  ['no region', { region: '' }, 2, ['input region is empty', 'set region under "with" in the step']],
  [
    'an unknown region, with the escapes that the runner undoes',
    { region: '50%' },
    2,
    ['invalid region "50%25" (from input region)', 'use eu or us'],
  ],
  ['a bad sandbox', { sandbox: 'yes' }, 2, ['invalid sandbox "yes" (from input sandbox)', SWITCH]],
  [
    'an export-env of two lines',
    { 'export-env': 'true\n::stop-commands::x' },
    2,
    ['invalid export-env "true\\n::stop-commands::x" (from input export-env)', SWITCH],
  ],
])('the action fails for %s', async (_, more, code, [message, ...hints]) => {
  const result = await job.run({ ...servers.inputsFor('eu'), 'export-env': 'true', ...more });
  expect(result.code).toBe(code);
  expect(said(result)).toEqual([
    `::error title=gwtoken::${message}`,
    ...hints.map((hint) => `hint: ${hint}`),
  ]);
});

test('a min-ttl that no token has fails the action with 7, and names the input', async () => {
  const result = await job.run({ ...servers.inputsFor('eu'), 'min-ttl': '2h' });
  expect(result.code).toBe(7);
  expect(said(result).join()).toMatch(/^::error title=gwtoken::.*input min-ttl/);
});

test('a silent endpoint fails the action with 6 after the GWTOKEN_TIMEOUT of the job', async () => {
  const endpoint = await startTokenEndpoint();
  endpoint.hold();
  Object.assign(job.env, { GWTOKEN_TIMEOUT: '1s', GWTOKEN_RETRIES: '0' });
  const result = await job.run({ ...servers.inputsFor('eu'), 'auth-url': endpoint.authUrl });
  expect(result.code).toBe(6);
  const [error] = said(result, endpoint.authUrl);
  expect(error).toMatch(/^::error title=gwtoken::URL\/oauth2\/token did not answer within 1 s/);
});

test('a CA file of the job that is not there stays on one line, whatever its name is', async () => {
  job.env['GWTOKEN_CA_FILE'] = '/nowhere/50%\n::notice::x';
  const result = await job.run({ ...servers.inputsFor('eu'), 'auth-url': 'https://127.0.0.1:9' });
  expect(result.code).toBe(2);
  const [error] = said(result);
  expect(error).toBe(
    '::error title=gwtoken::the CA file /nowhere/50%25\\u000a::notice::x cannot be read (ENOENT)',
  );
});

test('an event loop that runs dry fails the action with 1', async () => {
  const dry = join(job.dir, 'dry.cjs');
  writeFileSync(
    dry,
    `require('node:net').Socket.prototype.connect = function () { return this; };
     const { setTimeout } = globalThis;
     globalThis.setTimeout = (...call) => setTimeout(...call).unref();`,
  );
  job.env['NODE_OPTIONS'] = `--require=${dry}`;
  const result = await job.run(servers.inputsFor('eu'));
  expect([result.code, said(result)]).toEqual([1, []]);
});

/** A Node with something of the shell's before it. By bash, since dash passes no variable whose name has a hyphen. */
function nodeAfter(words: string): string {
  const node = join(job.dir, 'node');
  writeFileSync(node, `#!/bin/bash\n${words} exec '${NODE}' "$@"\n`, { mode: 0o755 });
  return node;
}

test('a GITHUB_OUTPUT that is not there fails the action before a token is requested', async ({ needs }) => {
  needs('posix');
  const asked = servers.identity.eu.requests.length;
  const result = await job.run(servers.inputsFor('eu'), nodeAfter('GITHUB_OUTPUT=/nowhere'));
  expect(result.code).toBe(2);
  expect(said(result)[0]).toBe(
    '::error title=gwtoken::GITHUB_OUTPUT points to /nowhere, which does not exist',
  );
  expect(servers.identity.eu.requests).toHaveLength(asked);
});

test('a GITHUB_OUTPUT that cannot be written fails the action with 1, the token masked', async ({
  needs,
}) => {
  needs('posix');
  const result = await job.run(servers.inputsFor('eu'), nodeAfter('ulimit -f 0;'));
  expect(result.code).toBe(1);
  expect(said(result)[0]).toMatch(
    /^::error title=gwtoken::cannot append to \S+set_output \(from GITHUB_OUTPUT\): EFBIG$/,
  );
  expect(result.log.masks).toEqual([client('eu').clientSecret, servers.identity.eu.issued.at(-1)]);
});
