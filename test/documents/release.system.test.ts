/**
 * A rehearsal of the release: the shell steps of release.yml, read from the file and run in their order, from a tag on a
 * local remote and with a gh that only notes its words. The builds themselves have tests of their own.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openFolder } from '../harness/homes/folder';
import { ROOT } from '../harness/root';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly 'working-directory'?: string;
}
const { jobs } = parse(readFileSync(join(ROOT, '.github', 'workflows', 'release.yml'), 'utf8')) as {
  readonly jobs: Record<string, { readonly steps?: readonly Step[] }>;
};

/** Runs the steps of a job that have a name among these, as GitHub runs them, and returns what they printed. */
function runSteps(job: string, names: readonly string[], cwd: string, env: Record<string, string>): string {
  const steps = (jobs[job]?.steps ?? []).filter(({ name = '' }) => names.includes(name));
  expect(steps.map(({ name }) => name)).toEqual(names);
  return steps
    .map(({ run = '', 'working-directory': folder = '.' }) =>
      execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
        cwd: join(cwd, folder),
        env: { ...process.env, ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    .join('');
}

const TAKE = 'Take only what build made, by the digest of its sums';

describe('a release', () => {
  test('goes from its tag to its page, and again to the same', async ({ needs }) => {
    needs('linux', 'bash', 'git');
    const folder = openFolder();
    const [remote, bin, temp] = ['remote/owner/gwtoken', 'bin', 'temp'].map((name) => join(folder, name));
    for (const each of [remote, bin, temp]) mkdirSync(each!, { recursive: true });
    const git = (cwd: string, ...words: string[]) =>
      execFileSync('git', words, { cwd, encoding: 'utf8' }).trim();
    git(remote!, 'init', '-q', '--bare');
    const work = join(folder, 'work');
    mkdirSync(work);
    git(work, 'init', '-q');
    for (const name of ['package.json', '.github', '.gitignore'])
      cpSync(join(ROOT, name), join(work, name), { recursive: true });
    // What a build here has left.
    rmSync(join(work, '.github', 'actions', 'gwtoken', 'dist'), { recursive: true, force: true });
    git(work, 'add', '.');
    git(work, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'A release');
    const noted = join(folder, 'gh');
    writeFileSync(join(bin!, 'gh'), `#!/bin/sh\necho "$*" >> '${noted}'\n`, { mode: 0o755 });
    const env = {
      PATH: [bin, process.env['PATH']].join(delimiter),
      GITHUB_REF_NAME: `v${version}`,
      GITHUB_SERVER_URL: join(folder, 'remote'),
      GITHUB_REPOSITORY: 'owner/gwtoken',
      GITHUB_OUTPUT: join(folder, 'output'),
      RUNNER_TEMP: temp!,
      TARGET: 'linux-x64',
      TMPDIR: folder,
    };
    const release = join(work, 'release');
    mkdirSync(release);
    runSteps('build', ['The tag is the version of package.json', 'Whether npm may have it'], work, env);
    const dist = join(folder, 'dist');
    mkdirSync(dist);
    writeFileSync(join(dist, 'action.cjs'), 'the program\n');
    execFileSync('tar', ['-czf', join(release, `gwtoken-${version}-action.tar.gz`), '-C', folder, 'dist']);
    execFileSync('tar', [
      '-czf',
      join(release, `gwtoken-${version}-linux-x64.tar.gz`),
      '-C',
      dist,
      'action.cjs',
    ]);
    runSteps('build', ["Take the version's notes from the changelog", 'Sum up'], work, env);
    expect(readFileSync(join(release, 'NOTES.md'), 'utf8')).toContain('First release');
    const [, digest = ''] = /^digest=(.*)$/m.exec(readFileSync(env.GITHUB_OUTPUT, 'utf8')) ?? [];
    const withDigest = { ...env, DIGEST: digest };

    runSteps('try', [TAKE, 'Take it from its archive'], work, withDigest);
    expect(readdirSync(join(work, 'taken'))).toEqual(['action.cjs']);
    const tags = () => git(remote!, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/tags');
    const released = git(work, 'rev-parse', 'HEAD');
    const act = () => runSteps('action', [TAKE, 'Unpack it', 'Commit and tag it'], work, withDigest);
    act();
    const first = tags();
    expect(first).toContain(`action/v${version}`);
    expect(git(remote!, 'show', `action/v${version}:.github/actions/gwtoken/dist/action.cjs`)).toBe(
      'the program',
    );
    // "Re-run all jobs" comes to the same commit.
    git(work, 'reset', '-q', '--hard', released);
    act();
    expect(tags()).toBe(first);
    runSteps(
      'release-page',
      [TAKE, 'Create the release, with the notes of .github/CHANGELOG.md'],
      work,
      withDigest,
    );
    const created = readFileSync(noted, 'utf8')
      .split('\n')
      .find((line) => line.startsWith('release create'));
    expect(created).toMatch(
      new RegExp(`^release create v${version} .*SHA256SUMS.* --verify-tag --notes-file release/NOTES.md`),
    );

    writeFileSync(join(release, `gwtoken-${version}-linux-x64.tar.gz`), 'another');
    expect(() => runSteps('try', [TAKE], work, withDigest)).toThrow();
  });
});
