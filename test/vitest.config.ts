import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import LeftOut from './harness/left-out';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

// The workers inherit this process's environment, and a variable set to '' is not the same as none.
for (const name of Object.keys(process.env)) {
  if (/^(NODE_EXTRA_CA_CERTS|FORCE_COLOR|TESTED_FORM|GWTOKEN_.*)$/.test(name)) delete process.env[name];
}

// Where no machine of ours stands: a time that is told or read in the machine's own zone shows.
process.env['TZ'] = 'Asia/Kathmandu';

const BOTH = ['test/**/*.both.test.ts', 'test/**/*.both.system.test.ts'];

export default defineConfig({
  root,
  define: { __VERSION__: JSON.stringify(version), __EXECUTABLE__: 'false' },
  plugins: [
    {
      // What the bundler's `moduleTypes: { '.md': 'text' }` does for the built program.
      name: 'markdown-as-text',
      transform: (code, id) =>
        id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
    },
  ],
  test: {
    environment: 'node',
    globalSetup: 'test/harness/setup-package.mjs',
    setupFiles: ['test/harness/vitest-hooks.ts'],
    pool: 'forks',
    // What a test promises about time it says itself: these are for the one that hangs.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    reporters: ['default', new LeftOut()],
    // A line for each file, and no list of tests that took their time: a run ends in its counts.
    slowTestThreshold: 60_000,
    // Two cores: a third worker fills the time in which the others wait.
    maxWorkers: 3,
    // By the file's name. quick: a fresh clone, any user. system: keyrings, shells, Wine. executable: a form.
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.system.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          globalSetup: 'test/harness/setup-executable.mjs',
          include: ['test/**/*.system.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'executable',
          globalSetup: 'test/harness/setup-executable.mjs',
          include: BOTH,
          env: { TESTED_FORM: 'executable' },
        },
      },
    ],
  },
});
