/** The permissions of the workflows, the code that they run, and the parts of a release. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TARGETS } from '../../bin/build/executable.mjs';
import { ROOT } from '../harness/root';

interface Workflow {
  readonly on: unknown;
  readonly permissions?: Record<string, string>;
  readonly jobs: Record<string, Job>;
}
interface Job {
  /** Path of a workflow of this repository, which has the steps. */
  readonly uses?: string;
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly permissions?: Record<string, string>;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
  readonly strategy?: { readonly matrix: { readonly include: readonly { readonly target: string }[] } };
}

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const directory = join(ROOT, '.github');
const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.ya?ml$/.test(file));
const read = (file: string): string => readFileSync(join(directory, file), 'utf8');
const workflows = files.filter((file) => file.startsWith('workflows/'));
const release = parse(read('workflows/release.yml')) as Workflow;
const scriptsOf = ({ steps = [] }: Job) => steps.map(({ run = '' }) => run).join('\n');
const jobsWith = (text: string) =>
  Object.entries(release.jobs).filter(([, job]) => scriptsOf(job).includes(text));

const READ = { contents: 'read' };
/** The jobs that may do more than read. Attestations and npm's provenance need an identity. */
const PERMISSIONS: Readonly<Record<string, Record<string, string>>> = {
  attest: { ...READ, 'id-token': 'write', attestations: 'write' },
  publish: { ...READ, 'id-token': 'write' },
  action: { contents: 'write' },
  'release-page': { contents: 'write' },
};

describe('the workflows', () => {
  test.each(files)('%s pins each foreign action by a commit with its version', (file) => {
    for (const [, used = ''] of read(file).matchAll(/\buses: *(.*)$/gm))
      expect(used).toMatch(/^\.\/|^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test.each(workflows)('%s gives each job its permissions', (file) => {
    const { on, permissions, jobs }: Workflow = parse(read(file));
    for (const [name, job] of Object.entries(jobs))
      expect(job.permissions ?? permissions, name).toEqual(PERMISSIONS[name] ?? READ);
    expect(JSON.stringify(on)).not.toMatch(/pull_request_target|workflow_run|issue_comment/);
  });

  test.each(workflows)('%s pastes no value into a script', (file) => {
    const { jobs }: Workflow = parse(read(file));
    for (const [name, job] of Object.entries(jobs)) {
      // GitHub pastes an expression into a script as text.
      expect(scriptsOf(job), name).not.toContain('${{');
      for (const { uses, with: inputs } of job.steps ?? [])
        if (uses?.startsWith('actions/checkout@'))
          expect(inputs).toMatchObject({ 'persist-credentials': false });
    }
  });
});

test('test.yml runs everything with one Node, and tests the oldest and the newest', () => {
  const text = read('workflows/test.yml');
  const nodes: readonly number[] = parse(text).jobs.test.strategy.matrix.node;
  const [oldest] = /\d+/.exec(MANIFEST.engines.node)!;
  const ofEverything = [...text.matchAll(/matrix\.node [!=]= (\d+)/g)].map(([, node]) => Number(node));
  expect(ofEverything).toHaveLength(2);
  expect(nodes).toEqual(expect.arrayContaining([Number(oldest), ...ofEverything]));
  const [, newest] = /^newest=(\d+)\./m.exec(readFileSync(join(ROOT, '.ci', 'run'), 'utf8'))!;
  expect(Number(newest)).toBe(Math.max(...nodes));
});

describe('a release', () => {
  test('contains every executable, each tried on its own system', () => {
    const tried = release.jobs['try']?.strategy?.matrix.include.map(({ target }) => target);
    expect(tried?.sort()).toEqual(Object.keys(TARGETS).sort());
    expect(release.jobs['attest']?.needs).toContain('try');
    for (const publishing of ['publish', 'action', 'release-page'])
      expect(release.jobs[publishing]?.needs, publishing).toContain('attest');
  });

  test('downloads files of the build job only through take-release', () => {
    expect(read('workflows/release.yml')).not.toContain('download-artifact');
  });

  test('runs no npm package in jobs that can write to the repository', () => {
    for (const job of Object.values(release.jobs))
      if (job.permissions?.['contents'] === 'write') expect(scriptsOf(job)).not.toMatch(/\b(npm|npx|node)\b/);
    const [[compares] = []] = jobsWith('rm release/gwtoken-*-action.tar.gz');
    expect(release.jobs['action']?.needs).toContain(compares);
  });

  test('publishes nothing to npm while the package is private', () => {
    expect(jobsWith('npm publish').map(([, job]) => job.if)).toEqual([
      "needs.build.outputs.private == 'false'",
    ]);
    expect(MANIFEST.private).toBe(true);
  });
});
