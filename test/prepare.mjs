// npm ci, if the lock file is newer than what is installed: a fresh clone needs `npm test` and nothing else.
// --packages (npm run test:setup): also what the tests of the system need from Debian and npm.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** @param {string} path */
const written = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (written('node_modules/.package-lock.json') < written('package-lock.json')) {
  console.log('> installing the packages of package-lock.json');
  const windows = process.platform === 'win32';
  // Whatever the user's npm leaves out by habit (NODE_ENV=production), the build needs these.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd: root, stdio: 'inherit', shell: windows });
}
if (process.argv.includes('--packages')) (await import('./tools/install.mjs')).installForSystem();
