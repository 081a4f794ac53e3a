/** What `npm run mutants` runs for each mutant: the tests of the mutated rooms that start no program of their own. */
import { mergeConfig } from 'vitest/config';
import { programTests } from '../harness/forms';
import { ROOT } from '../harness/root';
import all from '../vitest.config';

const { projects: _, reporters: __, pool: ___, ...test } = all.test ?? {};

export default mergeConfig(
  { ...all, test },
  {
    test: {
      include: ['token', 'credentials', 'settings', 'formats'].map((room) => `test/${room}/**/*.test.ts`),
      // The last one compares two readers that share what is mutated, and takes longer than all the others.
      exclude: [...programTests(ROOT), 'test/token/differential.test.ts'],
    },
  },
);
