export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // Not only the tests that import what is mutated: most get to it by a dynamic import.
  vitest: { configFile: 'test/tools/mutants/vitest.config.ts', related: false },
  // Its rewriting of tsconfig.json needs the API that TypeScript 7 no longer has; nothing here needs it.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  // A constant of a module asks for all tests, each time: the settings alone would take over an hour.
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 20_000,
  ignorePatterns: ['executables', '.github', '.git'],
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: 'node_modules/.cache/mutants.json' },
  clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
};
