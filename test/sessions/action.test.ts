/** The action of .github/actions, run as GitHub's runner runs it, with real servers. */
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { filesBelow } from '../harness/homes/files';
import { openFolder, openFolders } from '../harness/homes/folder';
import { ROOT } from '../harness/root';
import { ACTION, client, type Job, NODE, openJob, type Servers, startServers } from './action-job';
import { type ActionRun, readAction, runAction } from './action-runner';

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
  expect(log.masks).toEqual([secret, token]);
  expect(log.lines.join('\n')).not.toContain(token);
  expect(log.lines.join('\n')).not.toContain(secret);
}

describe.each([
  ['eu', 'production'],
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

test('ends by SIGUSR1, and opens no debugger to its memory with the secret in it', async ({ needs }) => {
  needs('posix');
  const [node, pidFile] = [join(job.dir, 'node'), join(job.dir, 'pid')];
  // By bash, since dash passes no variable on whose name has a hyphen.
  writeFileSync(node, `#!/bin/bash\necho $$ >'${pidFile}'\nexec '${NODE}' "$@"\n`, { mode: 0o755 });
  const endpoint = await startTokenEndpoint((post) => {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGUSR1');
    return tokenReply(post);
  });
  const inputs = { ...servers.inputsFor('eu'), 'auth-url': endpoint.authUrl };
  expect(await job.run(inputs, node)).toMatchObject({ code: null, outputs: {} });
});

test('reads no config file and no cache of a runner that is kept', async () => {
  const home = openFolders();
  home.configure({ 'auth-url': 'https://elsewhere.example.com', retries: 'none', 'no-such-key': 1 });
  Object.assign(job.env, home.env);
  const [first, second] = [await job.run(servers.inputsFor('eu')), await job.run(servers.inputsFor('eu'))];
  expect([first.code, second.code]).toEqual([0, 0]);
  expect(first.outputs['access-token']).not.toBe(second.outputs['access-token']);
  expect([...filesBelow(home.dir).keys()]).toEqual(['config/gwtoken/config.json']);
});

test('a commit without the built program says where there is one', async () => {
  const folder = openFolder();
  for (const name of ['action.yml', 'main.cjs']) copyFileSync(join(ACTION, '..', name), join(folder, name));
  const temp = join(folder, 'temp');
  mkdirSync(temp);
  const result = await runAction(join(folder, 'action.yml'), servers.inputsFor('eu'), {
    node: NODE,
    env: {},
    temp,
  });
  expect(result).toMatchObject({
    code: 2,
    output: '::error title=gwtoken::this commit does not contain the built action: use a tag action/vX.Y.Z\n',
  });
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
    expect(used.uses).toBe('OWNER/gwtoken/.github/actions/gwtoken@action/v0');
    const values: Record<string, string> = {
      'vars.GWTOKEN_AUTH_URL': servers.identity.eu.authUrl,
      'secrets.GWTOKEN_CLIENT_ID': client('eu').clientId,
      'secrets.GWTOKEN_CLIENT_SECRET': client('eu').clientSecret,
    };
    const given = Object.entries(used.with as Record<string, string>).map(([name, value]) => {
      const [, expression] = /^\$\{\{ (.*) \}\}$/.exec(value) ?? [];
      return [name, expression === undefined ? value : (values[expression] ?? expression)];
    });
    const result = await job.run(Object.fromEntries(given));
    expect(result.code).toBe(0);
    const [, output = ''] =
      /^\$\{\{ steps\.gwtoken\.outputs\.(.*) \}\}$/.exec(deploy.env.GWTOKEN_ACCESS_TOKEN) ?? [];
    expect(used.id).toBe('gwtoken');
    expect(result.outputs[output]).toBe(servers.identity.eu.issued.at(-1));
  });
});

test('it needs no package beside its own files, which have no path of a machine in them', async () => {
  const folder = openFolder();
  cpSync(join(ACTION, '..'), folder, { recursive: true });
  const temp = join(folder, 'temp');
  mkdirSync(temp);
  const result = await runAction(join(folder, 'action.yml'), servers.inputsFor('eu'), {
    node: NODE,
    env: {},
    temp,
  });
  expect(result).toMatchObject({ code: 0, outputs: { scope: 'read eu' } });
  for (const [name, text] of filesBelow(join(folder, 'dist'))) expect(text.includes(ROOT), name).toBe(false);
});
