import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import LeftOut from './harness/left-out';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

// The workers inherit this process's environment. Deletes the variables, because an empty one is not an absent one.
for (const name of Object.keys(process.env)) {
  if (/^(NODE_EXTRA_CA_CERTS|FORCE_COLOR|TESTED_FORM|GWTOKEN_.*)$/.test(name)) delete process.env[name];
}

const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
/** True if Linux keeps /dev/shm in memory and lets programs in it run, which Docker does not by default. */
const hasShm = /^tmpfs \/dev\/shm tmpfs rw(?!\S*noexec)/m.test(mounts);

const BOTH = ['test/**/*.both.test.ts', 'test/**/*.both.system.test.ts'];

/** Starts the system tests first. Some of them only wait for a minute, during which the others run. */
class SystemFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOther = ({ project }: TestSpecification) => Number(project.name !== 'system');
    return (await super.sort(files)).sort((a, b) => isOther(a) - isOther(b));
  }
}

export default defineConfig({
  root,
  define: { __RELEASE__: JSON.stringify({ version, repository: null }), __EXECUTABLE__: 'false' },
  plugins: [
    {
      // Does what `moduleTypes: { '.md': 'text' }` of the bundler does for the built program.
      name: 'markdown-as-text',
      transform: (code, id) =>
        id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined,
    },
  ],
  test: {
    environment: 'node',
    globalSetup: 'test/harness/setup-package.mjs',
    setupFiles: ['test/harness/vitest-hooks.ts'],
    // A zone that few machines have, so that a time in local instead of UTC makes a test fail. The files of tests
    // are in memory, because some disks take 10 ms to remove those of one test.
    env: { TZ: 'Asia/Kathmandu', ...(hasShm && { TMPDIR: process.env['TMPDIR'] ?? '/dev/shm' }) },
    // As the build does, which also leaves out what conf knows of snaps.
    alias: { atomically: join(root, 'bin/build/conf-writer.ts') },
    server: { deps: { inline: ['conf'] } },
    pool: 'forks',
    // Ends tests that hang. A test that promises something about time asserts it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    reporters: ['default', new LeftOut()],
    // Lists no slow tests, so that a run ends with its counts.
    slowTestThreshold: 60_000,
    // Two cores: three more workers fill the time in which the others wait.
    maxWorkers: 5,
    // A new process for each file would take 40 % of the quick tests' time. gwtoken's modules have no state.
    isolate: false,
    // A sequencer would keep --sequence.shuffle from shuffling the files.
    ...(process.argv.includes('--sequence.shuffle') ? {} : { sequence: { sequencer: SystemFirst } }),
    // The file's name selects the project. quick runs in a fresh clone as any user; system needs keyrings, shells or
    // Wine; executable runs the program's tests with that form.
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
