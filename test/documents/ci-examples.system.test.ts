/** The examples of `gwtoken help ci`, each run as its CI system would: a release's page, an endpoint, a script. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReleasePage } from '../harness/endpoints/release-page';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { filesBelow } from '../harness/homes/files';
import { openHome } from '../harness/homes/home';
import { linkProgram, runCommand } from '../harness/programs/program';
import { azure, circleci, github, gitlab, type Job, jenkins, kubernetes, type Runner } from './ci-runners';
import { blocksUnder } from './topic-blocks';

/** The last of its section, which is the one that installs gwtoken. */
const example = (heading: string, language = 'yaml'): string =>
  blocksUnder(heading)
    .filter((block) => block.language === language)
    .at(-1)?.code ?? '';

interface Example {
  readonly run: Runner;
  readonly example: string;
  /** GitLab's and CircleCI's variables are the whole job's. */
  readonly jobWide?: true;
}
const EXAMPLES: Readonly<Record<string, Example>> = {
  'GitHub Actions': { run: github, example: example('GitHub Actions') },
  'GitLab CI': { run: gitlab, example: example('GitLab CI'), jobWide: true },
  'Azure Pipelines': { run: azure, example: example('Azure Pipelines') },
  Jenkins: { run: jenkins, example: example('Jenkins', 'groovy') },
  CircleCI: { run: circleci, example: example('CircleCI'), jobWide: true },
  Kubernetes: { run: kubernetes, example: example('Kubernetes') },
};

const SCRIPT = `#!/bin/sh
echo "\${GWTOKEN_ACCESS_TOKEN:-no token} \${GWTOKEN_CLIENT_SECRET:-no secret}" > deployed
if [ -n "$GWTOKEN_TOKEN_FILE" ]; then cat "$GWTOKEN_TOKEN_FILE" >> deployed; fi
`;

async function openJob(): Promise<
  Job & { posts: readonly URLSearchParams[]; deployed: () => string | undefined }
> {
  const { authUrl, posts } = await startTokenEndpoint();
  const { dir: folder, env } = openHome();
  const [dir, release] = ['job', 'release'].map((name) => join(folder, name)) as [string, string];
  for (const made of [dir, release]) mkdirSync(made);
  for (const script of ['deploy.sh', 'worker']) writeFileSync(join(dir, script), SCRIPT, { mode: 0o755 });
  linkProgram(release);
  const archive = join(folder, 'gwtoken.tar.gz');
  await runCommand(['tar', '-czf', archive, '-C', release, 'gwtoken'], { env: {} });
  return {
    dir,
    env,
    release: await startReleasePage(archive),
    authUrl,
    clientId: 'of-ci',
    clientSecret: 'secret-of-ci',
    posts,
    deployed: () => {
      const file = join(dir, 'deployed');
      return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
    },
  };
}

test.for(Object.entries(EXAMPLES))('%s deploys with a token', async ([name, given], { needs }) => {
  needs('linux', 'curl');
  const job = await openJob();
  const { code, log, downloadSeesSecret } = await given.run(given.example, job);
  expect(code, log).toBe(0);
  expect(downloadSeesSecret).toBe(given.jobWide === true);
  const tokenFile = name === 'Kubernetes' ? '\ntoken-1' : '';
  expect(job.deployed()).toBe(`token-1 ${name === 'CircleCI' ? job.clientSecret : 'no secret'}${tokenFile}`);
  expect(job.posts.map((form) => [form.get('client_id'), form.get('client_secret')])).toEqual([
    [job.clientId, job.clientSecret],
  ]);
  expect(log).not.toContain(job.clientSecret);
});

test.for(Object.entries(EXAMPLES))(
  '%s ends before it starts what has another checksum',
  async ([, given], { needs }) => {
    needs('linux', 'curl');
    const job = await openJob();
    const { SHA256 } = job.release;
    const release = { ...job.release, SHA256: SHA256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) };
    const { code, log } = await given.run(given.example, { ...job, release });
    expect(code, log).not.toBe(0);
    expect(log).toContain('did NOT match');
    expect(job.deployed()).toBeUndefined();
    expect([...filesBelow(job.dir).keys()].filter((path) => /(^|\/)gwtoken$/.test(path))).toEqual([]);
    expect(job.posts).toEqual([]);
  },
);
