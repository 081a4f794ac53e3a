/** The built package: its files, their sizes and their licences. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkIntegrity } from '../../bin/build/bun.mjs';
import { buildPackage } from '../../bin/build/package.mjs';
import { openFolder } from '../harness/homes/folder';
import { ROOT } from '../harness/root';

test('the notices name exactly the packages in the bundle, each with its licence', async () => {
  const dist = openFolder();
  const output = await buildPackage(dist);
  const bundled = new Set<string>();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    // The innermost node_modules: a package's own copy of another is that other.
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

test('Bun from the registry: another package than bun.json means is refused', () => {
  expect(() => checkIntegrity('@oven/bun-linux-x64', Buffer.from('another'))).toThrow(
    /^@oven\/bun-linux-x64 \S+ is not what bin\/build\/bun\.json says: its integrity is sha512-/,
  );
});

test('npm run gwtoken runs the sources as they are, topics included', () => {
  const run = spawnSync(process.execPath, ['bin/build/main.mjs', 'run', 'help', 'exit-codes'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  expect(run.stdout).toMatch(/^EXIT CODES\n/);
});
