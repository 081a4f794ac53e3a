// `npm run mutants -- --mutate src/token/share.ts`. Stryker has 170 packages, so only that script installs it; 9.6.1 is
// its last version that runs on Node 20.
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default {
  mutate: ['src/{hints,formats,settings,credentials,token,cli,commands}/**/*.ts'],
  tempDirName: join(tmpdir(), 'gwtoken-mutants'),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // Runs all tests, because most tests reach the mutated code by a dynamic import.
  vitest: { configFile: 'test/tools/mutants/vitest.config.ts', related: false },
  // Prevents the rewriting of tsconfig.json, which is not needed, and fails with TypeScript 7.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  // A mutant in a module's constant runs all tests, which takes over an hour for the settings alone.
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 20_000,
  // All tests once, in one worker. Stryker's default of 5 minutes is too short for a busy machine.
  dryRunTimeoutMinutes: 20,
  ignorePatterns: ['executables', '.github', '.git'],
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: 'node_modules/.cache/mutants.json' },
  clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
};
