/** Release.yml's own steps, in order, from a tag on a local remote. Small files stand for the built ones. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openFolder } from '../harness/homes/folder';
import { ROOT } from '../harness/root';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly 'working-directory'?: string;
}

test('a release is summed up, tagged for the action, and published; run again it makes the same', ({
  needs,
}) => {
  needs('linux', 'git');
  const inGithub = (...names: string[]) => parse(readFileSync(join(ROOT, '.github', ...names), 'utf8'));
  const { jobs } = inGithub('workflows', 'release.yml') as {
    jobs: Record<string, { steps: readonly Step[] }>;
  };
  const version = '1.2.3';
  const folder = openFolder();
  const at = (...names: string[]) => join(folder, ...names);
  const env: Record<string, string> = {
    PATH: `${at('bin')}:${process.env['PATH']}`,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GITHUB_REF_NAME: `v${version}`,
    GITHUB_SERVER_URL: folder,
    GITHUB_REPOSITORY: 'remote.git',
    GITHUB_OUTPUT: at('output'),
    GH_TOKEN: 'none',
  };
  const bash = (script: string, cwd: string) =>
    spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env, encoding: 'utf8' });
  const shell = (script: string, cwd: string) => {
    const { status, stdout, stderr } = bash(script, cwd);
    expect(status, `${script}\n${stderr}`).toBe(0);
    return stdout.trim();
  };
  const scriptOf = (steps: readonly Step[], name: string) => {
    const found = steps.find((each) => each.name?.startsWith(name));
    expect(found?.run, name).toBeDefined();
    return { script: found!.run!, folder: found!['working-directory'] ?? '.' };
  };
  const step = (job: string, name: string, cwd: string) => {
    const { script, folder } = scriptOf(jobs[job]!.steps, name);
    shell(script, join(cwd, folder));
  };
  /** What a job begins with: a checkout, and what the composite action does once the files are there. */
  const take = (job: string) => {
    expect(jobs[job]!.steps.map(({ uses }) => uses)).toContain('./.github/actions/take-release');
    const cwd = checkout(job);
    cpSync(join(built, 'release'), join(cwd, 'release'), { recursive: true });
    const { script, folder } = scriptOf(
      inGithub('actions', 'take-release', 'action.yml').runs.steps,
      'Check',
    );
    shell(script, join(cwd, folder));
    return cwd;
  };

  mkdirSync(at('bin'));
  writeFileSync(at('bin', 'gh'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${at('gh-calls')}'\n`);
  chmodSync(at('bin', 'gh'), 0o755);
  const source = at('source');
  mkdirSync(join(source, '.github', 'actions', 'gwtoken'), { recursive: true });
  for (const name of ['.gitignore', '.github/actions/gwtoken/action.yml'])
    cpSync(join(ROOT, name), join(source, name));
  writeFileSync(join(source, 'package.json'), JSON.stringify({ version, private: true }));
  const changelog = `# Changelog

## ${version}

News.

## 1.2.2

Old.
`;
  writeFileSync(join(source, '.github', 'CHANGELOG.md'), changelog);
  const as = 'git -c user.name=a -c user.email=a@example.com';
  shell('git init -q --bare remote.git', folder);
  shell(`git init -q && git add . && ${as} commit -qm Released && git tag "$GITHUB_REF_NAME"`, source);
  shell('git push -q ../remote.git "$GITHUB_REF_NAME"', source);
  const checkout = (name: string) => {
    rmSync(at(name), { recursive: true, force: true });
    shell(`git clone -q --branch "$GITHUB_REF_NAME" remote.git ${name}`, folder);
    return at(name);
  };

  const built = checkout('built');
  step('build', 'The tag is the version', built);
  step('build', 'Whether npm may have it', built);
  mkdirSync(join(built, 'release'));
  mkdirSync(join(built, 'dist'));
  writeFileSync(join(built, 'dist', 'gwtoken.cjs'), 'the program');
  shell(`tar -czf release/gwtoken-${version}-action.tar.gz dist`, built);
  step('build', "Take the version's notes", built);
  step('build', 'Sum up', built);
  const outputs = Object.fromEntries(
    readFileSync(at('output'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  expect(outputs).toEqual({ private: 'true', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  env['DIGEST'] = outputs.digest;

  // The other machine builds the same bytes, or others: no file in the archive, link or not, is followed.
  const archive = `release/gwtoken-${version}-action.tar.gz`;
  const comparison = scriptOf(jobs['compare']!.steps, 'Build it again').script;
  const compare = (from: string) => {
    writeFileSync(at('bin', 'node'), `#!/bin/sh\ncp '${from}' ${archive}\n`, { mode: 0o755 });
    return bash(comparison, take('compare')).status;
  };
  writeFileSync(at('bin', 'npm'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(at('another'), 'another');
  expect(compare(join(built, archive))).toBe(0);
  expect(compare(at('another'))).not.toBe(0);

  const tagged = () => shell(`git --git-dir=remote.git rev-parse action/v${version} action/v1`, folder);
  const runAction = () => {
    const cwd = take('action');
    for (const name of ['Unpack it', 'Commit and tag']) step('action', name, cwd);
    return tagged();
  };
  const first = runAction();
  const [commit, major] = first.split('\n');
  expect(major).toBe(commit);
  const show = `git --git-dir=remote.git show --format= --name-only ${commit}`;
  expect(shell(show, folder)).toBe('.github/actions/gwtoken/dist/gwtoken.cjs');
  // As later as a clock needs to show it: git's dates have seconds.
  shell('sleep 1.1', folder);
  expect(runAction()).toBe(first);

  const page = take('release-page');
  step('release-page', 'Create the release', page);
  expect(readFileSync(join(page, 'release', 'NOTES.md'), 'utf8').trim()).toBe('News.');
  const calls = readFileSync(at('gh-calls'), 'utf8').trim().split('\n');
  expect(calls.at(-1)).toBe(
    `release create v${version} release/NOTES.md release/SHA256SUMS ` +
      `release/gwtoken-${version}-action.tar.gz ` +
      '--verify-tag --notes-file release/NOTES.md',
  );
});
