import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../bin/build.mjs';
import { ROOT } from '../harness/root';

const root = ROOT;
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const windows = process.platform === 'win32';
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-package-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** npm without a network: what it lacks then is optional, and the tests look at what is there. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', '--loglevel=error'];
  const run = promisify(execFile)(windows ? 'npm.cmd' : 'npm', [...args, ...quiet], { cwd, shell: windows });
  return (await run).stdout;
}

describe('the packed package', () => {
  let tarball = '';
  beforeAll(async () => {
    // dist/ is there already, and other tests run from it: packing must not build it anew.
    const packed = await npm(['pack', root, '--json', '--ignore-scripts'], folder);
    tarball = join(folder, `gwtoken-${manifest.version}.tgz`);
    expect(packed).toContain(`gwtoken-${manifest.version}.tgz`);
    await npm(['install', '--prefix', folder, tarball], folder);
  }, 120_000);

  test('is under 400 kB', () => {
    expect(statSync(tarball).size).toBeLessThan(400_000);
  });

  test('needs keytar alone, and that is optional', () => {
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['keytar']);
    const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(packages).toContain('gwtoken');
    expect(['gwtoken', 'keytar', 'node-addon-api']).toEqual(expect.arrayContaining(packages));
  });
});

describe('the notices', () => {
  test('name exactly the packages in the bundle, each with its licence', async () => {
    const dist = join(folder, 'dist');
    const output = await build(dist);
    const bundled = new Set<string>();
    for (const chunk of output) {
      if (chunk.type !== 'chunk') continue;
      // The innermost node_modules: a package's own copy of another is that other.
      for (const id of chunk.moduleIds) {
        const name = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1];
        if (name) bundled.add(name.replaceAll('\\', '/'));
      }
    }
    expect(bundled.size).toBeGreaterThan(10);

    const [, ...notices] = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8').split(/\n-{80}\n/);
    const named = notices.map((notice) => /^\n(\S+) \d\S* \([\w.-]+\)\n\n/.exec(notice)?.[1]);
    expect(named).toEqual([...bundled].sort());
    for (const notice of notices) {
      expect(notice).toMatch(/copyright/i);
      expect(notice).toMatch(/permission (is hereby granted|to use)/i);
    }
  });
});
