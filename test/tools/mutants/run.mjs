// npm run mutants [-- ROOM …]: makes many small changes to the source, one at a time, and lists those that no test
// notices. Stryker has 170 packages, so it is only installed here.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from '../../harness/builds.mjs';

// The last version that runs on Node 20.
const VERSION = '9.6.1';
const ROOMS = ['formats', 'settings', 'credentials', 'token', 'cli', 'commands'];

const asked = process.argv.slice(2);
const unknown = asked.find((room) => !ROOMS.includes(room));
if (unknown !== undefined) {
  console.error(`there is no room ${unknown}: use ${ROOMS.join(', ')}, or none for all of them`);
  process.exit(2);
}

const root = join(import.meta.dirname, '..', '..', '..');
const prefix = join(root, 'node_modules', '.cache', 'stryker');
const program = join(prefix, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
if (!existsSync(program)) {
  mkdirSync(prefix, { recursive: true });
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  // Omits the peers, because Stryker has to use this repository's vitest.
  const args = ['install', '--prefix', prefix, '--legacy-peer-deps', ...quiet, ...packages];
  execFileSync('npm', args, { stdio: 'inherit' });
}

// Some tests start the built program.
buildPackage();
const mutated = (asked.length > 0 ? asked : ROOMS).map((room) => `src/${room}/**/*.ts`).join(',');
const copy = mkdtempSync(join(tmpdir(), 'gwtoken-mutants-'));
const config = 'test/tools/mutants/stryker.config.mjs';
const args = [program, 'run', config, '--mutate', mutated, '--tempDirName', copy];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
rmSync(copy, { recursive: true, force: true });
