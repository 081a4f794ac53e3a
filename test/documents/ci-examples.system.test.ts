/** The examples of `gwtoken help ci`, run as CI systems would: a release's page, an endpoint, a script. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReleasePage } from '../harness/endpoints/release-page';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { filesBelow } from '../harness/homes/files';
import { openHome } from '../harness/homes/home';
import { linkProgram, runCommand } from '../harness/programs/program';
import { azure, circleci, github, gitlab, jenkins, kubernetes, type Runner } from './ci-runners';
import { blocksUnder } from './topic-blocks';

const RUNNERS: Readonly<Record<string, Runner>> = {
  'GitHub Actions': github,
  'GitLab CI': gitlab,
  'Azure Pipelines': azure,
  Jenkins: jenkins,
  CircleCI: circleci,
  Kubernetes: kubernetes,
};

const SCRIPT = `#!/bin/sh
echo "\${GWTOKEN_ACCESS_TOKEN:-no token} \${GWTOKEN_CLIENT_SECRET:-no secret}" > deployed
if [ -n "$GWTOKEN_TOKEN_FILE" ]; then cat "$GWTOKEN_TOKEN_FILE" >> deployed; fi
`;
const CLIENT = { clientId: 'of-ci', clientSecret: 'secret-of-ci' };

/** Runs a system's example until a step fails, with the checksum of the release or another one. */
async function runExample(system: string, isRightSum: boolean) {
  const { authUrl, posts } = await startTokenEndpoint();
  const { dir: folder, env } = openHome();
  const [dir, files] = ['job', 'release'].map((name) => join(folder, name)) as [string, string];
  mkdirSync(dir);
  for (const script of ['deploy.sh', 'worker']) writeFileSync(join(dir, script), SCRIPT, { mode: 0o755 });
  linkProgram(files);
  const archive = join(folder, 'gwtoken.tar.gz');
  await runCommand(['tar', '-czf', archive, '-C', files, 'gwtoken'], { env: {} });
  const page = await startReleasePage(archive);
  const release = isRightSum ? page : { ...page, SHA256: '0'.repeat(64) };
  // The last one of a section installs gwtoken.
  const language = system === 'Jenkins' ? 'groovy' : 'yaml';
  const example = blocksUnder(system).filter((block) => block.language === language);
  let log = '';
  let code: number | null = 0;
  for (const step of RUNNERS[system]!(example.at(-1)!.code, { dir, release, authUrl, ...CLIENT })) {
    const result = await runCommand(step.words, { env: { ...env, ...step.env() }, cwd: step.cwd ?? dir });
    log += result.stdout + result.stderr;
    code = result.code;
    if (code !== 0) break;
    step.done?.(result);
  }
  const deployed = join(dir, 'deployed');
  return {
    dir,
    log,
    code,
    posts,
    deployed: existsSync(deployed) ? readFileSync(deployed, 'utf8').trim() : '',
  };
}

test.for(Object.keys(RUNNERS))('%s deploys with a token', async (system, { needs }) => {
  needs('linux', 'curl');
  const { log, code, posts, deployed } = await runExample(system, true);
  expect(code, log).toBe(0);
  const tokenFile = system === 'Kubernetes' ? '\ntoken-1' : '';
  // CircleCI's variables are the whole job's.
  const secret = system === 'CircleCI' ? CLIENT.clientSecret : 'no secret';
  expect(deployed).toBe(`token-1 ${secret}${tokenFile}`);
  expect(posts.map((form) => [form.get('client_id'), form.get('client_secret')])).toEqual([
    Object.values(CLIENT),
  ]);
  expect(log).not.toContain(CLIENT.clientSecret);
});

test.for(Object.keys(RUNNERS))(
  '%s ends before it starts what has another checksum',
  async (system, { needs }) => {
    needs('linux', 'curl');
    const { dir, log, code, posts, deployed } = await runExample(system, false);
    expect(code, log).not.toBe(0);
    expect(log).toContain('did NOT match');
    expect([deployed, posts]).toEqual(['', []]);
    expect([...filesBelow(dir).keys()].filter((path) => /(^|\/)gwtoken$/.test(path))).toEqual([]);
  },
);
