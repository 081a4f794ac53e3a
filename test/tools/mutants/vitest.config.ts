/** The tests of the mutated rooms, for each mutant. Those that start the program find one without it. */
import { mergeConfig } from 'vitest/config';
import all from '../../vitest.config';

const { projects: _, reporters: __, pool: ___, globalSetup: ____, ...test } = all.test ?? {};

export default mergeConfig(
  { ...all, test },
  {
    test: {
      setupFiles: ['test/tools/mutants/load-all.ts'],
      include: [
        'test/sessions/sessions.test.ts',
        ...['token', 'credentials', 'settings', 'formats', 'cli', 'commands'].map(
          (room) => `test/${room}/**/*.test.ts`,
        ),
      ],
      // The last one compares two readers that share what is mutated, and takes longer than all the others.
      exclude: ['test/**/*.{both,system}.test.ts', 'test/token/differential.test.ts'],
    },
  },
);
