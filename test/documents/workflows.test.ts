/** The workflows: what each may do, and whose code it runs. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TARGETS } from '../../bin/build/executable.mjs';
import { openFolder } from '../harness/homes/folder';
import { ROOT } from '../harness/root';

const folder = join(ROOT, '.github');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.ya?ml$/.test(file));
const workflows = files.filter((file) => file.startsWith('workflows/'));
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

/** The rights of the jobs that may do more than read the repository. */
const MAY_WRITE: Record<string, Record<string, string>> = {
  'workflows/release.yml attest': { contents: 'read', 'id-token': 'write', attestations: 'write' },
  'workflows/release.yml publish': { contents: 'read', 'id-token': 'write' },
  'workflows/release.yml action': { contents: 'write' },
  'workflows/release.yml release-page': { contents: 'write' },
  'workflows/release.yml image': {
    contents: 'read',
    packages: 'write',
    'id-token': 'write',
    attestations: 'write',
  },
};

interface Workflow {
  readonly on: unknown;
  readonly permissions?: Record<string, string>;
  readonly jobs: Record<string, Job>;
}
interface Job {
  /** A workflow of this repository: it has the steps. */
  readonly uses?: string;
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly permissions?: Record<string, string>;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

describe('the workflows', () => {
  test.each(files)('%s pins every foreign action by its commit, and names the version', (file) => {
    for (const line of read(file).split('\n')) {
      const used = /\buses: *(.*)$/.exec(line)?.[1];
      if (used === undefined || used.startsWith('./')) continue;
      expect(used).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test.each(workflows)('%s may do no more than it needs', (file) => {
    const { on, permissions, jobs }: Workflow = parse(read(file));
    expect([{}, { contents: 'read' }]).toContainEqual(permissions);
    expect(JSON.stringify(on)).not.toMatch(/pull_request_target|workflow_run|issue_comment/);
    for (const [name, job] of Object.entries(jobs)) {
      const rights = job.permissions ?? permissions;
      const allowed = MAY_WRITE[`${file} ${name}`] ?? { contents: 'read' };
      expect(rights, name).toEqual(allowed);
      if (job.uses !== undefined) {
        expect(workflows.map((each) => `./.github/${each}`)).toContain(job.uses);
        continue;
      }
      const { steps = [] } = job;
      expect(job['timeout-minutes'], name).toBeLessThanOrEqual(60);
      // An expression in a script is pasted into it as text: values go in by the environment.
      for (const { run } of steps) expect(run ?? '', name).not.toContain('${{');
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const { with: inputs } of checkouts)
        expect(inputs).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('release every executable that is built, and try each on its own system', () => {
    const { jobs } = parse(read('workflows/release.yml'));
    const tried = jobs.try.strategy.matrix.include.map(({ target }: { target: string }) => target);
    expect(tried.sort()).toEqual(Object.keys(TARGETS).sort());
    expect(jobs['release-page'].needs).toContain('attest');
    expect(jobs.attest.needs).toContain('try');
  });

  test('run no package of npm’s where the repository can be written to, and compare the action before', () => {
    const { jobs } = parse(read('workflows/release.yml')) as Workflow;
    const scriptsOf = ({ steps = [] }: Job) => steps.map(({ run = '' }) => run).join('\n');
    for (const job of Object.values(jobs).filter(({ permissions }) => permissions?.['contents'] === 'write'))
      expect(scriptsOf(job)).not.toMatch(/\b(npm|npx|node)\b/);
    const [compares] =
      Object.entries(jobs).find(([, job]) => scriptsOf(job).includes('rm release/gwtoken-*-action.tar.gz')) ??
      [];
    expect(jobs['action']?.needs).toContain(compares);
  });

  test('publish nothing to npm while the package is private, as it is until its name is claimed', () => {
    const { jobs } = parse(read('workflows/release.yml')) as Workflow;
    const publishing = Object.values(jobs).filter(({ steps = [] }) =>
      steps.some(({ run = '' }) => run.includes('npm publish')),
    );
    expect(publishing.map((job) => job.if)).toEqual(["needs.build.outputs.private == 'false'"]);
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).toMatchObject({ private: true });
  });

  test('take from build only the files that its digest vouches for', ({ needs }) => {
    needs('linux');
    const { jobs } = parse(read('workflows/release.yml')) as Workflow;
    const taking = Object.values(jobs).filter(({ steps = [] }) =>
      steps.some(({ uses }) => uses === './.github/actions/take-release'),
    );
    expect(taking.length).toBe(7);
    expect(read('workflows/release.yml')).not.toContain('download-artifact');
    const [, check] = parse(read('actions/take-release/action.yml')).runs.steps;
    const folder = openFolder();
    const file = (name: string) => join(folder, name);
    const sum = (name: string) =>
      createHash('sha256')
        .update(readFileSync(file(name)))
        .digest('hex');
    const sumUp = () => writeFileSync(file('SHA256SUMS'), `${sum('gwtoken.tgz')}  gwtoken.tgz\n`);
    writeFileSync(file('gwtoken.tgz'), 'built');
    sumUp();
    // Git Bash on windows-latest has no shasum.
    const bin = openFolder();
    for (const name of ['bash', 'cut', 'diff', 'ls', 'sha256sum', 'sort'])
      symlinkSync(`/usr/bin/${name}`, join(bin, name));
    const env = { PATH: bin, DIGEST: sum('SHA256SUMS') };
    const checked = () => spawnSync('bash', ['-e', '-c', check.run], { cwd: folder, env }).status;
    expect(checked()).toBe(0);
    writeFileSync(file('another'), '');
    expect(checked()).not.toBe(0);
    rmSync(file('another'));
    writeFileSync(file('gwtoken.tgz'), 'another');
    expect(checked()).not.toBe(0);
    sumUp();
    expect(checked()).not.toBe(0);
  });
});
