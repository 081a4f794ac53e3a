// npm run mutants [-- PATH …]: makes many small changes to a room of src or to one file, such as token/share, one at a
// time, and lists those that no test notices. Stryker has 170 packages, so it is only installed here.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from '../../harness/builds.mjs';

// The last version that runs on Node 20.
const VERSION = '9.6.1';
const ROOMS = ['hints', 'formats', 'settings', 'credentials', 'token', 'cli', 'commands'];

const root = join(import.meta.dirname, '..', '..', '..');
/** Returns the pattern of a room's sources, or the path of one file. @param {string} path such as `token/share` */
function sourcesAt(path) {
  const name = path.replace(/^src\/|\.ts$|\/$/g, '');
  if (ROOMS.includes(name.split('/')[0] ?? '')) {
    if (existsSync(join(root, 'src', `${name}.ts`))) return `src/${name}.ts`;
    if (existsSync(join(root, 'src', name))) return `src/${name}/**/*.ts`;
  }
  console.error(`no sources at src/${name}: use a path in ${ROOMS.join(', ')}, or none for all of them`);
  process.exit(2);
}

const asked = process.argv.slice(2);
const mutated = (asked.length > 0 ? asked : ROOMS).map(sourcesAt);

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
const copy = mkdtempSync(join(tmpdir(), 'gwtoken-mutants-'));
const config = 'test/tools/mutants/stryker.config.mjs';
const args = [program, 'run', config, '--mutate', mutated.join(','), '--tempDirName', copy];
const started = performance.now();
// In its own group, so that a signal to this program ends Stryker with all its workers.
const stryker = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', detached: true });
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => process.kill(-(stryker.pid ?? 0), 'SIGKILL'));
const [code] = await once(stryker, 'exit');
rmSync(copy, { recursive: true, force: true });
console.log(`${mutated.join(', ')}: ${Math.round((performance.now() - started) / 1000)} s`);
process.exitCode = code ?? 1;
