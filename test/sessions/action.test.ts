/** The built action, as GitHub's runner runs it. action.system.test.ts has its other inputs and errors. */
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { ROOT } from '../harness/root';
import { ACTION, expectHidden, FOLDER, openJob, SECRET, startIdentities } from './action-job';

const { identity, inputsFor } = await startIdentities();
let job: ReturnType<typeof openJob>;
beforeEach(() => {
  job = openJob();
});

test('the action sets outputs and no variables', async () => {
  const before = identity.eu.requests.length;
  const result = await job.run(inputsFor('eu'));
  const token = identity.eu.issued.at(-1)!;
  expect(result).toMatchObject({ code: 0, env: {} });
  expect(result.outputs).toEqual({
    'access-token': token,
    'token-type': 'Bearer',
    'expires-at': expect.stringMatching(/^\d{10}$/),
    scope: 'read eu',
  });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const made = identity.eu.requests.slice(before);
  expect(made.map(({ headers }) => headers['user-agent'])).toEqual([`gwtoken/${version}`]);
  expectHidden(result.output, token);
  // The action leaves no files but those that the runner reads and removes.
  const left = [...filesBelow(job.dir).keys()].filter((file) => !file.includes('_runner_file_commands-'));
  expect(left).toEqual([]);
});

test('the action needs only its files and reports missing ones', async () => {
  const directory = openDirectory();
  for (const name of ['action.yml', 'main.cjs']) copyFileSync(join(FOLDER, name), join(directory, name));
  expect(await job.run(inputsFor('eu'), {}, directory)).toMatchObject({
    code: 2,
    output: '::error title=gwtoken::this commit does not contain the built action: use a tag action/vX.Y.Z\n',
  });
  cpSync(FOLDER, directory, { recursive: true });
  expect(await job.run(inputsFor('eu'), {}, directory)).toMatchObject({
    code: 0,
    outputs: { scope: 'read eu' },
  });
  for (const [name, text] of filesBelow(join(directory, 'dist')))
    expect(text.includes(ROOT), name).toBe(false);
});

describe('the topic ci', () => {
  const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'ci.md'), 'utf8');
  const section = topic.split(/^## /m).find((text) => text.startsWith('GitHub Actions\n'))!;

  test('names exactly the inputs and outputs of the action', () => {
    const [, inputs, outputs] = /Its inputs are (.*?)\. Its outputs are (.*?)\./s.exec(section) ?? [];
    const names = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort();
    expect(names(inputs)).toEqual(Object.keys(ACTION.inputs).sort());
    expect(names(outputs)).toEqual(Object.keys(ACTION.outputs).sort());
  });

  test('contains a job with the inputs and outputs that it needs', () => {
    const [, code = ''] = /^```yaml\n(.*?)^```$/ms.exec(section) ?? [];
    const values: Readonly<Record<string, string>> = {
      'vars.GWTOKEN_AUTH_URL': identity.eu.authUrl,
      'secrets.GWTOKEN_CLIENT_ID': 'eu',
      'secrets.GWTOKEN_CLIENT_SECRET': SECRET,
    };
    const filled = code.replace(/\$\{\{ (\S+) \}\}/g, (expression, name) =>
      name in values ? JSON.stringify(values[name]) : expression,
    );
    const [, used, deploy] = parse(filled).steps;
    expect(used).toMatchObject({ id: 'gwtoken', uses: 'REPOSITORY/.github/actions/gwtoken@action/v0' });
    // With these inputs, the action sets outputs.
    expect(used.with).toEqual(inputsFor('eu'));
    expect(deploy.env.GWTOKEN_ACCESS_TOKEN).toMatch(/^\$\{\{ steps\.gwtoken\.outputs\.access-token \}\}$/);
  });
});
