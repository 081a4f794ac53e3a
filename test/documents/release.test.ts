/** Runs the steps of release.yml in order, from a tag on a local remote. Small files replace the built ones. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openDirectory } from '../harness/homes/directory';
import { ROOT } from '../harness/root';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly 'working-directory'?: string;
}

const inGithub = (...names: string[]) => parse(readFileSync(join(ROOT, '.github', ...names), 'utf8'));
const jobs = inGithub('workflows', 'release.yml').jobs as Record<string, { steps: readonly Step[] }>;
const [VERSION, ARCHIVE] = ['1.2.3', 'release/gwtoken-1.2.3-action.tar.gz'];

test('a release can be run again with the same result', ({ needs }) => {
  needs('linux', 'git');
  const directory = openDirectory();
  const at = (...names: string[]) => join(directory, ...names);
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  const env: Record<string, string> = {
    PATH: `${at('bin')}:${process.env['PATH']}`,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GITHUB_REF_NAME: `v${VERSION}`,
    GITHUB_SERVER_URL: directory,
    GITHUB_REPOSITORY: 'remote.git',
    GITHUB_OUTPUT: at('output'),
    GH_TOKEN: 'none',
  };
  const bash = (script: string, cwd: string) =>
    spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env, encoding: 'utf8' });
  const shell = (script: string, cwd = directory) => {
    const { status, stdout, stderr } = bash(script, cwd);
    expect(status, `${script}\n${stderr}`).toBe(0);
    return stdout.trim();
  };
  const run = (steps: readonly Step[], name: string, cwd: string) => {
    const { run: script, 'working-directory': below = '.' } = steps.find((step) =>
      step.name?.startsWith(name),
    )!;
    return bash(script!, join(cwd, below)).status;
  };
  const step = (job: string, name: string, cwd: string) =>
    expect(run(jobs[job]!.steps, name, cwd), name).toBe(0);
  const checkout = (name: string) => {
    rmSync(at(name), { recursive: true, force: true });
    shell(`git clone -q --branch "$GITHUB_REF_NAME" remote.git ${name}`);
    return at(name);
  };
  /** Runs the composite action on the files that a job has downloaded. Returns what it prints. */
  const check = (cwd: string) =>
    run(inGithub('actions', 'take-release', 'action.yml').runs.steps, 'Check', cwd);
  /** Checks out the repository as a job does. */
  const take = (job: string) => {
    expect(jobs[job]!.steps.map(({ uses }) => uses)).toContain('./.github/actions/take-release');
    const cwd = checkout(job);
    cpSync(at('built', 'release'), join(cwd, 'release'), { recursive: true });
    expect(check(cwd)).toBe(0);
    return cwd;
  };

  put(at('bin', 'gh'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${at('gh-calls')}'\n`, 0o755);
  put(at('bin', 'npm'), '#!/bin/sh\n', 0o755);
  const source = at('source');
  for (const name of ['.gitignore', '.github/actions/gwtoken/action.yml'])
    put(join(source, name), readFileSync(join(ROOT, name), 'utf8'));
  put(join(source, 'package.json'), JSON.stringify({ version: VERSION, private: true }));
  const changelog = `# Changelog\n\n## ${VERSION}\n\nNews.\n\n## 1.2.2\n\nOld.\n`;
  put(join(source, '.github', 'CHANGELOG.md'), changelog);
  const as = 'git -c user.name=a -c user.email=a@example.com';
  shell('git init -q --bare remote.git');
  shell(`git init -q && git add . && ${as} commit -qm Released && git tag "$GITHUB_REF_NAME"`, source);
  shell('git push -q ../remote.git "$GITHUB_REF_NAME"', source);

  const built = checkout('built');
  step('build', 'The tag is the version', built);
  put(join(built, '.github', 'CHANGELOG.md'), '# Changelog\n\n## 1.2.30\n');
  expect(run(jobs['build']!.steps, 'The tag is the version', built)).not.toBe(0);
  step('build', 'Read whether the package is private', built);
  put(join(built, 'dist', 'gwtoken.cjs'), 'the program');
  shell(`mkdir release && tar -czf ${ARCHIVE} dist`, built);
  step('build', 'Write the checksums', built);
  const [, digest = ''] =
    /^private=true\ndigest=([0-9a-f]{64})\n$/.exec(readFileSync(at('output'), 'utf8')) ?? [];
  env['DIGEST'] = digest;

  // The second machine builds the same bytes, or different ones.
  put(at('another'), 'another');
  const compare = (from: string) => {
    put(at('bin', 'node'), `#!/bin/sh\ncp '${from}' ${ARCHIVE}\n`, 0o755);
    return run(jobs['compare']!.steps, 'Build it again', take('compare'));
  };
  expect(compare(join(built, ARCHIVE))).toBe(0);
  expect(compare(at('another'))).not.toBe(0);
  for (const name of [ARCHIVE, 'release/SHA256SUMS', 'release/another']) {
    const cwd = take('action');
    put(join(cwd, name), 'another');
    expect(check(cwd), name).not.toBe(0);
  }

  const runAction = () => {
    const cwd = take('action');
    for (const name of ['Unpack it', 'Commit and tag']) step('action', name, cwd);
    return shell(`git --git-dir=remote.git rev-parse action/v${VERSION} action/v1`);
  };
  const first = runAction();
  const [commit, major] = first.split('\n');
  expect(major).toBe(commit);
  const show = `git --git-dir=remote.git show --format= --name-only ${commit}`;
  expect(shell(show)).toBe('.github/actions/gwtoken/dist/gwtoken.cjs');
  // A later commit needs another date, and git's dates have whole seconds.
  shell('sleep 1.1');
  expect(runAction()).toBe(first);

  const page = take('release-page');
  step('release-page', 'Create the release', page);
  expect(readFileSync(join(page, 'notes'), 'utf8').trim()).toBe('News.');
  expect(readFileSync(at('gh-calls'), 'utf8').trim().split('\n').at(-1)).toBe(
    `release create v${VERSION} release/SHA256SUMS ${ARCHIVE} --verify-tag --notes-file notes`,
  );
});
