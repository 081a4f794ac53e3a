// Runs npm ci if node_modules is older than the lock file or lacks the development packages, so that `npm test` is
// enough in a fresh clone.
// --build (npm ci, npm pack) then builds the package if it is outdated.
// --packages (npm run test:setup) also installs the packages of Debian and npm that the system tests need.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** @param {string} path */
const written = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (
  written('node_modules/.package-lock.json') < written('package-lock.json') ||
  written('node_modules/rolldown') === 0
) {
  console.log('> installing the packages of package-lock.json');
  const windows = process.platform === 'win32';
  // Overrides the user's own npm settings: NODE_ENV=production leaves packages out that the build needs. Of the
  // scripts, only `prepare` in package.json has work to do, and it may have started this program.
  const overrides = ['--include=dev', '--include=optional', '--ignore-scripts'];
  const args = ['ci', ...overrides, '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd: root, stdio: 'inherit', shell: windows });
}
if (process.argv.includes('--build')) (await import('./harness/builds.mjs')).buildPackage();
if (process.argv.includes('--packages')) (await import('./tools/install.mjs')).installForSystem();
