/** A build from the sources: its bytes, and the licences of the bundled packages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleForNode, ENTRIES } from '../../bin/build/package.mjs';
import { openDirectory } from '../harness/homes/directory';
import { ROOT } from '../harness/root';

test('a build has the same bytes each time, and a licence of each bundled package', async () => {
  const dist = openDirectory();
  const output = await bundleForNode(dist, ENTRIES);
  // The same bytes as at the build before: a release compares the builds of two machines.
  for (const { fileName } of output)
    expect(readFileSync(join(dist, fileName)).equals(readFileSync(join(ROOT, 'dist', fileName)))).toBe(true);
  const [, ...notices] = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8').split(/\n-{80}\n/);
  const named = notices.map((notice) => /^\n(\S+) \d\S* \([\w.-]+\)\n\n/.exec(notice)?.[1]);
  expect(named).toEqual(expect.arrayContaining(['@noble/hashes', 'chalk', 'commander', 'conf', 'undici']));
  for (const notice of notices) {
    expect(notice).toMatch(/copyright/i);
    expect(notice).toMatch(/permission (is hereby granted|to use)/i);
  }
});
