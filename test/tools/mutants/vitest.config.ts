/** What `npm run mutants` runs for each mutant: the tests of the mutated rooms that start no program of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { ROOT } from '../../harness/root';
import all from '../../vitest.config';

/** The tests that start the program: what is mutated is not built. */
const starters = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => join('test', file).replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => /\b(openHome|runProgram|startProgram)\b/.test(readFileSync(join(ROOT, file), 'utf8')));

// A build would be of no use: none of these tests starts it.
const { projects: _, reporters: __, pool: ___, globalSetup: ____, ...test } = all.test ?? {};

export default mergeConfig(
  { ...all, test },
  {
    test: {
      include: ['token', 'credentials', 'settings', 'formats', 'cli', 'commands'].map(
        (room) => `test/${room}/**/*.test.ts`,
      ),
      // The last one compares two readers that share what is mutated, and takes longer than all the others.
      exclude: ['test/**/*.{both,system}.test.ts', 'test/token/differential.test.ts', ...starters],
    },
  },
);
