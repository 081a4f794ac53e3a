/** Tests of the sources as they are: the licences of the bundled packages, and a program without a build. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleProgram } from '../../bin/build/package.mjs';
import { openDirectory } from '../harness/homes/directory';
import { ROOT } from '../harness/root';

test('a build has the same bytes each time, and notices for exactly the bundled packages', async () => {
  const dist = openDirectory();
  const output = await bundleProgram(dist);
  // The same bytes as at the build before: a release compares the builds of two machines.
  for (const { fileName } of output)
    expect(readFileSync(join(dist, fileName)).equals(readFileSync(join(ROOT, 'dist', fileName)))).toBe(true);
  const bundled = new Set<string>();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    // The innermost node_modules counts, because a package may contain a copy of another.
    for (const id of chunk.moduleIds) {
      const name = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1];
      if (name) bundled.add(name.replaceAll('\\', '/'));
    }
  }
  expect([...bundled]).toEqual(expect.arrayContaining(['commander', 'undici']));

  const [, ...notices] = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8').split(/\n-{80}\n/);
  const named = notices.map((notice) => /^\n(\S+) \d\S* \([\w.-]+\)\n\n/.exec(notice)?.[1]);
  expect(named).toEqual([...bundled].sort());
  for (const notice of notices) {
    expect(notice).toMatch(/copyright/i);
    expect(notice).toMatch(/permission (is hereby granted|to use)/i);
  }
});

test('npm run gwtoken runs the sources without a build', () => {
  const run = spawnSync(process.execPath, ['bin/build/main.mjs', 'run', 'help', 'exit-codes'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  expect(run.stdout).toMatch(/^EXIT CODES\n/);
});
