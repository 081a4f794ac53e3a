/** The action of .github/actions, run as GitHub's runner runs it, with real servers. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openActionWorld } from '../../src/system/action-world';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { filesBelow } from '../harness/homes/files';
import { ROOT } from '../harness/root';
import { ACTION, client, type Job, NODE, openJob, type Servers, startServers } from './action-job';
import { type ActionRun, readAction } from './action-runner';

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});

let job: Job;
beforeEach(() => {
  job = openJob();
});

/** The token stands on lines that mask it, and on no other; the secret on none. */
function expectHidden({ output, log }: ActionRun, token: string, secret: string): void {
  const withToken = output.split('\n').filter((line) => line.includes(token));
  expect(withToken.length).toBeGreaterThan(0);
  expect([...new Set(withToken)]).toEqual([`::add-mask::${token}`]);
  expect(log.masks).toEqual([token]);
  expect(log.lines.join('\n')).not.toContain(token);
  expect(output).not.toContain(secret);
}

describe.each([
  ['eu', 'production'],
  ['eu', 'sandbox'],
  ['us', 'production'],
  ['us', 'sandbox'],
] as const)('%s, %s', (region, environment) => {
  const name = environment === 'sandbox' ? `${region}-sandbox` : region;
  const inputs = () => ({
    ...servers.inputsFor(region, name),
    ...(environment === 'sandbox' ? { sandbox: 'true' } : {}),
  });

  test('gives the token in outputs, and to nobody else', async () => {
    const asked = servers.identity[region].requests.length;
    const result = await job.run(inputs());
    expect(result.code).toBe(0);
    const token = servers.identity[region].issued.at(-1)!;
    expect(result.outputs).toEqual({
      'access-token': token,
      'token-type': 'Bearer',
      'expires-at': expect.stringMatching(/^\d{10}$/),
      scope: `read ${region}`,
    });
    expect(result.env).toEqual({});
    expect(servers.identity[region].requests).toHaveLength(asked + 1);
    const { headers, body } = servers.identity[region].requests.at(-1)!;
    expect(headers['user-agent']).toBe(`gwtoken/${VERSION}`);
    expect(new URLSearchParams(body).get('client_id')).toBe(`${name}-client`);
    expectHidden(result, token, client(name).clientSecret);
    // Nothing is left on the runner but what it reads and removes itself.
    expect(
      [...filesBelow(job.dir).keys()].filter((file) => !file.includes('_runner_file_commands-')),
    ).toEqual([]);
  });

  test('export-env sets the variables too, of the same token', async () => {
    const asked = servers.identity[region].requests.length;
    const result = await job.run({ ...inputs(), 'export-env': 'true' });
    expect(result.code).toBe(0);
    const token = servers.identity[region].issued.at(-1)!;
    expect(result.outputs['access-token']).toBe(token);
    expect(result.env).toEqual({
      GWTOKEN_ACCESS_TOKEN: token,
      GWTOKEN_TOKEN_TYPE: 'Bearer',
      GWTOKEN_EXPIRES_AT: result.outputs['expires-at'],
      GWTOKEN_SCOPE: `read ${region}`,
    });
    expect(servers.identity[region].requests).toHaveLength(asked + 1);
    expectHidden(result, token, client(name).clientSecret);
  });
});

test('two regions are two steps of one job, also beside variables of the job', async () => {
  Object.assign(job.env, {
    GWTOKEN_CLIENT_ID_EU: 'another',
    GWTOKEN_CLIENT_SECRET_EU: 'another',
    GWTOKEN_AUTH_URL_US: 'https://elsewhere.example.com',
    GWTOKEN_SANDBOX: '1',
    GWTOKEN_SANDBOX_CLIENT_ID: 'another',
  });
  const eu = await job.run({ ...servers.inputsFor('eu'), 'export-env': 'true' });
  Object.assign(job.env, eu.env);
  // Empty, as from an expression of the workflow that has no value.
  const us = await job.run({ ...servers.inputsFor('us'), sandbox: '', 'export-env': '' });
  expect([eu.code, us.code]).toEqual([0, 0]);
  expect(eu.outputs['access-token']).toBe(servers.identity.eu.issued.at(-1));
  expect(us.outputs['access-token']).toBe(servers.identity.us.issued.at(-1));
});

test('its memory, with the secret in it, is open to no debugger, and in no core file', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs Linux: /proc');
  const [node, pidFile] = [join(job.dir, 'node'), join(job.dir, 'pid')];
  // By bash, since dash passes no variable on whose name has a hyphen.
  writeFileSync(node, `#!/bin/bash\necho $$ >'${pidFile}'\nexec '${NODE}' "$@"\n`, { mode: 0o755 });
  let filter = '';
  const endpoint = await startTokenEndpoint((post) => {
    const pid = Number(readFileSync(pidFile, 'utf8'));
    filter = readFileSync(`/proc/${pid}/coredump_filter`, 'latin1');
    process.kill(pid, 'SIGUSR1');
    return tokenReply(post);
  });
  const inputs = { ...servers.inputsFor('eu'), 'auth-url': endpoint.authUrl };
  expect(await job.run(inputs, node)).toMatchObject({ code: null, output: '' });
  expect(Number.parseInt(filter, 16)).toBe(0);
});

test('its attempts are a pause apart, whose length nobody knows before', async () => {
  const { sleep, random } = openActionWorld(process, VERSION, {});
  const startedAtMs = performance.now();
  await sleep(50);
  // A timer of Node's may be a millisecond early.
  expect(performance.now() - startedAtMs).toBeGreaterThan(48);
  const drawn = Array.from({ length: 20 }, random);
  expect(new Set(drawn).size).toBe(20);
  for (const share of drawn) expect(Math.floor(share)).toBe(0);
});

describe('the topic ci', () => {
  const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'ci.md'), 'utf8');
  const section = topic.split(/^## /m).find((text) => text.startsWith('GitHub Actions\n'))!;

  test('names all inputs and outputs, and no other', () => {
    const [, inputs = '', outputs = ''] =
      /Its inputs are (.*?)\. Its outputs are (.*?)\./s.exec(section) ?? [];
    const names = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort();
    const action = readAction(ACTION);
    expect(names(inputs)).toEqual(Object.keys(action.inputs).sort());
    expect(names(outputs)).toEqual(Object.keys(action.outputs).sort());
  });

  test('has a job that works', async () => {
    const [, code = ''] = /^```yaml\n(.*?)^```$/ms.exec(section) ?? [];
    const { steps } = parse(code).jobs.deploy;
    const [, used, deploy] = steps;
    expect(used.uses).toBe('OWNER/gwtoken/.github/actions/gwtoken@COMMIT');
    const values: Record<string, string> = {
      'vars.GATEWAY_AUTH_URL': servers.identity.eu.authUrl,
      'secrets.GATEWAY_CLIENT_ID': client('eu').clientId,
      'secrets.GATEWAY_CLIENT_SECRET': client('eu').clientSecret,
    };
    const given = Object.entries(used.with as Record<string, string>).map(([name, value]) => {
      const [, expression] = /^\$\{\{ (.*) \}\}$/.exec(value) ?? [];
      return [name, expression === undefined ? value : (values[expression] ?? expression)];
    });
    const result = await job.run(Object.fromEntries(given));
    expect(result.code).toBe(0);
    const [, output = ''] =
      /^\$\{\{ steps\.gateway\.outputs\.(.*) \}\}$/.exec(deploy.env.GATEWAY_TOKEN) ?? [];
    expect(used.id).toBe('gateway');
    expect(result.outputs[output]).toBe(servers.identity.eu.issued.at(-1));
  });
});

test('it is one file without packages, small enough to be read, and has no path of a machine in it', () => {
  const file = join(ACTION, '..', 'gwtoken.cjs');
  expect(statSync(file).size).toBeLessThan(80_000);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('node_modules');
  expect(text).not.toContain(ROOT);
  const required = [...text.matchAll(/\b(?:require|import)\(([^)]*)\)/g)].map(([, module]) => module);
  expect(required.length).toBeGreaterThan(3);
  for (const module of required) expect(module).toMatch(/^[`'"]node:[\w/]+[`'"]$/);
});
