/** Runs the action of .github/actions as GitHub's runner does, with a token endpoint for each region. */
import { beforeEach, describe, expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { openDirectories } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { until } from '../harness/programs/processes';
import { expectHidden, openJob, startIdentities } from './action-job';

const { identity, inputsFor } = await startIdentities();
let job: ReturnType<typeof openJob>;
beforeEach(() => {
  job = openJob();
});

test('with export-env the action also sets variables of the same token', async () => {
  const before = identity.us.requests.length;
  const result = await job.run({ ...inputsFor('us', 'us-sandbox'), sandbox: 'true', 'export-env': 'true' });
  const token = identity.us.issued.at(-1)!;
  expect(result).toMatchObject({ code: 0, outputs: { 'access-token': token } });
  expect(result.env).toEqual({
    GWTOKEN_ACCESS_TOKEN: token,
    GWTOKEN_TOKEN_TYPE: 'Bearer',
    GWTOKEN_EXPIRES_AT: result.outputs['expires-at'],
    GWTOKEN_SCOPE: '',
  });
  expect(identity.us.posts.slice(before).map((form) => form.get('client_id'))).toEqual(['us-sandbox']);
  expectHidden(result.output, token);
});

test('two steps of one job can get tokens of two regions', async () => {
  Object.assign(job.env, {
    GWTOKEN_CLIENT_ID_EU: 'another',
    GWTOKEN_CLIENT_SECRET_EU: 'another',
    GWTOKEN_AUTH_URL_US: 'https://elsewhere.example.com',
    GWTOKEN_SANDBOX: '1',
    GWTOKEN_SANDBOX_CLIENT_ID: 'another',
  });
  const eu = await job.run({ ...inputsFor('eu'), 'export-env': 'true' });
  Object.assign(job.env, eu.env);
  // An expression of a workflow without a value is an empty input.
  const us = await job.run({ ...inputsFor('us'), sandbox: '', 'export-env': '' });
  expect([eu.code, us.code]).toEqual([0, 0]);
  expect(eu.outputs['access-token']).toBe(identity.eu.issued.at(-1));
  expect(us.outputs['access-token']).toBe(identity.us.issued.at(-1));
});

test('the action ignores the config and cache of its runner', async () => {
  const home = openDirectories();
  home.configure({ 'auth-url': 'https://elsewhere.example.com', retries: 'none', 'no-such-key': 1 });
  Object.assign(job.env, home.env);
  const [first, second] = [await job.run(inputsFor('eu')), await job.run(inputsFor('eu'))];
  expect([first.code, second.code]).toEqual([0, 0]);
  expect(first.outputs['access-token']).not.toBe(second.outputs['access-token']);
  expect([...filesBelow(home.dir).keys()]).toEqual(['config/gwtoken/config.json']);
});

/** A failing step: its inputs that differ from the right ones, its exit code, and its lines of error and hints. */
interface FailingStep {
  readonly inputs: Readonly<Record<string, string>>;
  readonly code: number;
  readonly lines: readonly string[];
}
const FAILING_STEPS: Readonly<Record<string, FailingStep>> = {
  'a rejected client': {
    inputs: { 'client-id': 'us' },
    code: 3,
    lines: [
      'URL/oauth2/token rejected the credentials (HTTP 401, invalid_client: client authentication failed)',
      'check input client-id and input client-secret',
      'if the client is in region us, use input region us; check the auth URL too',
    ],
  },
  'a secret that is the path of a file': {
    inputs: { 'client-secret': '/etc/hostname' },
    code: 3,
    lines: [
      'URL/oauth2/token rejected the credentials (HTTP 401, invalid_client: client authentication failed)',
      "input client-secret is the path of a file; set the file's text instead",
      'check input client-id and input client-secret',
    ],
  },
  'an empty ID and secret, as in a pull request from a fork': {
    inputs: { 'client-id': '', 'client-secret': '' },
    code: 2,
    lines: [
      'empty input: client-id and client-secret (CI systems withhold secrets from forks and Dependabot)',
      'set client-id and client-secret under "with" in the step',
    ],
  },
  'a region of two lines, with the runner’s escapes': {
    inputs: { region: '50%\n::stop-commands::x' },
    code: 2,
    lines: ['invalid region "50%25\\n::stop-commands::x" (from input region)', 'use eu or us'],
  },
  'an invalid export-env': {
    inputs: { 'export-env': 'y' },
    code: 2,
    lines: ['invalid export-env "y" (from input export-env)', 'use 1, true, 0 or false'],
  },
};

describe('the action reports in an annotation:', () => {
  test.each(Object.entries(FAILING_STEPS))('%s', async (_, { inputs, code, lines }) => {
    const result = await job.run({ ...inputsFor('eu'), 'export-env': 'true', ...inputs });
    expect(result).toMatchObject({ code, env: {}, outputs: {} });
    const output = result.output.replaceAll(identity.eu.authUrl, 'URL').replace(/\n::add-mask::.*\n/g, '');
    expect(output).toBe(`::error title=gwtoken::${lines.join('\nhint: ')}\n`);
  });

  test('a min-ttl that is longer than the token’s lifetime', async () => {
    const result = await job.run({ ...inputsFor('eu'), 'export-env': 'true', 'min-ttl': '2h' });
    expect(result).toMatchObject({ code: 7, env: {}, outputs: {} });
    expect(result.output).toMatch(
      /^::error title=gwtoken::input min-ttl 2h is too long: .*\nhint: lower input min-ttl$/m,
    );
  });

  test('a secret in another input, of which it shows no part', async () => {
    // The runner masks only the whole secret, but an error cuts a value to 100 characters.
    const secret = 'hush%'.repeat(30);
    const inputs = { ...inputsFor('eu'), region: secret, 'client-secret': secret };
    const { code, output } = await job.run(inputs);
    expect(code).toBe(2);
    const text = output.replace(/\n::add-mask::.*\n/g, '');
    expect(text).toBe('::error title=gwtoken::invalid region *** (from input region)\nhint: use eu or us\n');
  });

  test('a silent endpoint, within the GWTOKEN_TIMEOUT of the job', async () => {
    const endpoint = await startTokenEndpoint();
    endpoint.hold();
    Object.assign(job.env, { GWTOKEN_TIMEOUT: '1s', GWTOKEN_RETRIES: '0' });
    const result = await job.run({ ...inputsFor('eu'), 'auth-url': endpoint.authUrl });
    expect(result.code).toBe(6);
    expect(result.output).toMatch(/^::error title=gwtoken::.* did not answer within 1 s/m);
    expect(result.output).toMatch(/^hint: .*, or raise GWTOKEN_TIMEOUT$/m);
  });

  test('an unknown CA, with GWTOKEN_CA_FILE as the hint', async () => {
    const endpoint = await startTokenEndpoint(undefined, makeAuthority().issue());
    const result = await job.run({ ...inputsFor('eu'), 'auth-url': endpoint.authUrl });
    expect(result.code).toBe(6);
    expect(result.output).toMatch(/^hint: .* pass its PEM file with GWTOKEN_CA_FILE$/m);
  });

  test('a missing GITHUB_OUTPUT, before a token is requested', async () => {
    const before = identity.eu.requests.length;
    const result = await job.run(inputsFor('eu'), { GITHUB_OUTPUT: '/nowhere' });
    expect(result.code).toBe(2);
    expect(result.output).toMatch(/^::error .*::GITHUB_OUTPUT points to \/nowhere, which is not a file$/m);
    expect(identity.eu.requests).toHaveLength(before);
  });
});

test('a cancelled step prints no error', async ({ needs }) => {
  needs('posix');
  const endpoint = await startTokenEndpoint();
  endpoint.hold();
  const { pid, ended } = job.start({ ...inputsFor('eu'), 'auth-url': endpoint.authUrl });
  await until('the request arrives', () => endpoint.posts.length === 1);
  process.kill(pid, 'SIGINT');
  expect(await ended).toMatchObject({ code: 130, output: expect.not.stringMatching(/error|at /i) });
});
