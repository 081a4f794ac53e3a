/** The build, whose output a release compares on two machines. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { ROOT } from '../harness/root';

test('another build gives the same files except for the compiled code', () => {
  const again = openDirectory();
  // In its own process, because tsx, which draws the man page, leaves its hooks in the process.
  const build = `import('./bin/build/package.mjs').then((all) => all.buildPackage(${JSON.stringify(again)}))`;
  execFileSync(process.execPath, ['-e', build], { cwd: ROOT });
  // V8's compiled code differs from run to run, because V8 seeds its hash tables at random.
  const comparable = (directory: string) =>
    [...filesBelow(directory)].map(([name, content]) => [
      name,
      name.includes('.cjs.') ? '' : String(content),
    ]);
  expect(comparable(again)).toEqual(comparable(join(ROOT, 'dist')));
});
