/** Runs the shell steps of release.yml for a tag on a local remote. Small files replace the built ones. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openDirectory } from '../harness/homes/directory';
import { missing } from '../harness/needs';
import { ROOT } from '../harness/root';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly 'working-directory'?: string;
}

const inGithub = (...names: string[]) => parse(readFileSync(join(ROOT, '.github', ...names), 'utf8'));
const jobs = inGithub('workflows', 'release.yml').jobs as Record<string, { steps: readonly Step[] }>;
const takeRelease = inGithub('actions', 'take-release', 'action.yml').runs.steps as readonly Step[];
const [VERSION, ARCHIVE] = ['1.2.3', 'release/gwtoken-1.2.3-action.tar.gz'];
const PRERELEASE = { GITHUB_REF_NAME: `v${VERSION}-rc.1` };
const reason = missing('linux', 'git');

let directory: string;
const at = (...names: string[]) => join(directory, ...names);
/** The environment of the steps. */
let env: Record<string, string>;

/** Tags a source on a remote, and makes the files of the build job. */
beforeAll(() => {
  if (reason !== undefined) return;
  directory = openDirectory();
  env = {
    PATH: `${at('bin')}:${process.env['PATH']}`,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GITHUB_REF_NAME: `v${VERSION}`,
    GITHUB_SERVER_URL: directory,
    GITHUB_REPOSITORY: 'remote.git',
    GITHUB_OUTPUT: at('output'),
    GH_TOKEN: 'none',
  };
  put(at('bin', 'gh'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${at('gh-calls')}'\n`, 0o755);
  put(at('bin', 'npm'), '#!/bin/sh\n', 0o755);
  const source = at('source');
  for (const name of ['.gitignore', '.github/actions/gwtoken/action.yml'])
    put(join(source, name), readFileSync(join(ROOT, name), 'utf8'));
  put(join(source, 'package.json'), JSON.stringify({ version: VERSION, private: true }));
  const changelog = `# Changelog\n\n## ${VERSION}-rc.1\n\nTry it.\n\n## ${VERSION}\n\nNews.\n\n## 1.2.2\n\nOld.\n`;
  put(join(source, '.github', 'CHANGELOG.md'), changelog);
  const as = 'git -c user.name=a -c user.email=a@example.com';
  shell('git init -q --bare remote.git');
  shell(`git init -q && git add . && ${as} commit -qm Released && git tag "$GITHUB_REF_NAME"`, source);
  shell('git push -q ../remote.git "$GITHUB_REF_NAME"', source);

  const built = checkout('built');
  put(join(built, 'dist', 'gwtoken.cjs'), 'the program');
  shell(`mkdir release && tar -czf ${ARCHIVE} dist`, built);
  for (const name of ['Read whether the package is private', 'Write the checksums'])
    expect(step('build', name, built), name).toBe(0);
  env['DIGEST'] = /^digest=(.*)$/m.exec(readFileSync(at('output'), 'utf8'))?.[1] ?? '';
});
beforeEach(({ needs }) => needs(reason));

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

const bash = (script: string, cwd: string, more: Record<string, string> = {}) =>
  spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
  });

/** Returns the stdout of a script, which must succeed. */
function shell(script: string, cwd = directory): string {
  const { status, stdout, stderr } = bash(script, cwd);
  expect(status, `${script}\n${stderr}`).toBe(0);
  return stdout.trim();
}

/** Runs the step whose name begins with a text. Returns its exit code. */
function runStep(steps: readonly Step[], name: string, cwd: string, more: Record<string, string> = {}) {
  const { run, 'working-directory': below = '.' } = steps.find((each) => each.name?.startsWith(name))!;
  return bash(run!, join(cwd, below), more).status;
}
const step = (job: string, name: string, cwd: string, more: Record<string, string> = {}) =>
  runStep(jobs[job]!.steps, name, cwd, more);

/** Checks the tag out into a new directory. */
function checkout(name: string): string {
  rmSync(at(name), { recursive: true, force: true });
  shell(`git clone -q --branch "$GITHUB_REF_NAME" remote.git ${name}`);
  return at(name);
}

/** Runs take-release's check of the files in release/. Returns its exit code. */
const check = (cwd: string) => runStep(takeRelease, 'Check', cwd);

/** Checks the tag out as a job does, with the files of the build job. */
function take(job: string): string {
  expect(jobs[job]!.steps.map(({ uses }) => uses)).toContain('./.github/actions/take-release');
  const cwd = checkout(job);
  cpSync(at('built', 'release'), join(cwd, 'release'), { recursive: true });
  expect(check(cwd)).toBe(0);
  return cwd;
}

test('build accepts only the tag of a version in the changelog', () => {
  const cwd = checkout('tag');
  const accept = (tag: string) => step('build', 'The tag is', cwd, { GITHUB_REF_NAME: tag });
  expect(accept(`v${VERSION}`)).toBe(0);
  expect(accept('v1.2.2')).not.toBe(0);
  put(join(cwd, '.github', 'CHANGELOG.md'), '# Changelog\n\n## 1.2.30\n');
  expect(accept(`v${VERSION}`)).not.toBe(0);
});

test('build outputs the digest of the checksums, and if the package is private', () => {
  const sums = readFileSync(at('built', 'release', 'SHA256SUMS'));
  const digest = createHash('sha256').update(sums).digest('hex');
  expect(readFileSync(at('output'), 'utf8')).toBe(`private=true\ndigest=${digest}\n`);
});

test('take-release rejects changed files and a file without a checksum', () => {
  const cwd = take('action');
  for (const name of [ARCHIVE, 'release/SHA256SUMS', 'release/another']) {
    const taken = existsSync(join(cwd, name)) && readFileSync(join(cwd, name));
    put(join(cwd, name), 'another');
    expect(check(cwd), name).not.toBe(0);
    if (taken) writeFileSync(join(cwd, name), taken);
    else rmSync(join(cwd, name));
  }
});

test('compare fails unless a second machine builds the same bytes', () => {
  const [bin, cwd] = [at('second-machine'), take('compare')];
  const compareWith = (archive: string) => {
    put(join(bin, 'node'), `#!/bin/sh\ncp '${archive}' ${ARCHIVE}\n`, 0o755);
    return step('compare', 'Build it again', cwd, { PATH: `${bin}:${env['PATH']}` });
  };
  put(at('another'), 'another');
  expect(compareWith(at('built', ARCHIVE))).toBe(0);
  expect(compareWith(at('another'))).not.toBe(0);
});

describe('action', () => {
  /** Runs the job. Returns the commits of the tags. */
  const runAction = (more: Record<string, string> = {}) => {
    const cwd = take('action');
    expect(step('action', 'Unpack it', cwd)).toBe(0);
    expect(step('action', 'Commit and tag', cwd, more)).toBe(0);
    const tags = shell(
      "git --git-dir=remote.git for-each-ref --format='%(refname) %(objectname)' refs/tags/action",
    );
    return Object.fromEntries(
      tags.split('\n').map((line) => line.replace('refs/tags/action/', '').split(' ')),
    );
  };

  test('tags one commit of the action alone, and no other when it runs again', () => {
    const first = runAction();
    const commit = first[`v${VERSION}`];
    expect(first['v1']).toBe(commit);
    const inCommit = `git --git-dir=remote.git ls-tree -r --name-only ${commit} --`;
    // Without workflows: GitHub would refuse those that differ from a branch's.
    expect(
      shell(inCommit)
        .split('\n')
        .map((file) => file.replace('.github/actions/gwtoken/', '')),
    ).toEqual(['action.yml', 'dist/gwtoken.cjs']);
    expect(shell(`git --git-dir=remote.git log --format=%s ${commit}`)).toBe(
      `Action of v${VERSION}, built from ${shell('git rev-parse HEAD', at('action'))}`,
    );
    // A later commit needs another date, and git's dates have whole seconds.
    shell('sleep 1.1');
    expect(runAction()).toEqual(first);
  });

  test('leaves the tag action/vX alone for a prerelease', () => {
    shell('git --git-dir=remote.git tag --force action/v1 "$GITHUB_REF_NAME"');
    const { v1, ...others } = runAction(PRERELEASE);
    expect(v1).toBe(shell('git --git-dir=remote.git rev-parse "$GITHUB_REF_NAME"'));
    expect(others).toHaveProperty([PRERELEASE.GITHUB_REF_NAME]);
  });
});

test.each([
  ['a release', {}, `v${VERSION}`, 'News.', ''],
  ['a prerelease', PRERELEASE, `v${VERSION}-rc.1`, 'Try it.', ' --prerelease'],
])('release-page creates the page of %s with its notes and files', (_, more, tag, notes, flag) => {
  const cwd = take('release-page');
  expect(step('release-page', 'Create the release', cwd, more)).toBe(0);
  expect(readFileSync(join(cwd, 'notes'), 'utf8').trim()).toBe(notes);
  expect(readFileSync(at('gh-calls'), 'utf8').trim().split('\n').at(-1)).toBe(
    `release create ${tag} release/SHA256SUMS ${ARCHIVE} --verify-tag --notes-file notes${flag}`,
  );
});
