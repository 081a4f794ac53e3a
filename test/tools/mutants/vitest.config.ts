/** The tests that run for each mutant. The built program has no mutants, so tests that start it notice none. */
import { mergeConfig } from 'vitest/config';
import all from '../../vitest.config';

const { projects: _, reporters: __, pool: ___, globalSetup: ____, ...test } = all.test ?? {};

export default mergeConfig(
  { ...all, test },
  {
    test: {
      setupFiles: ['test/tools/mutants/load-all.ts'],
      include: [
        'test/hints.test.ts',
        'test/sessions/sessions.test.ts',
        ...['token', 'credentials', 'settings', 'formats', 'cli', 'commands'].map(
          (room) => `test/${room}/**/*.test.ts`,
        ),
      ],
      // The last test compares two readers that share the mutated code, and takes longer than all others.
      exclude: ['test/**/*.{both,system}.test.ts', 'test/token/differential.test.ts'],
    },
  },
);
