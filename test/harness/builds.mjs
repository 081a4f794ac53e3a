// Builds the tested programs if a source is newer, so that no test runs an old build. Each project of vitest names
// the builds that it needs as its globalSetup.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** @param {string} path */
const file = (path) => join(root, path);
/** Returns the time of a file's last change in milliseconds; 0 if the file is missing. @param {string} path */
const written = (path) => statSync(file(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Returns the time of the newest source. The time of a directory shows that a file in it was removed. */
function newestSource() {
  const below = ['src', 'bin'].flatMap((name) => [
    name,
    ...readdirSync(file(name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
  ]);
  return Math.max(...[...below, 'package.json', 'node_modules/.package-lock.json'].map(written));
}

/** Builds the package and the action if they are outdated. A needless build would pull dist/ from running programs. */
export function buildPackage() {
  const built = ['dist/gwtoken.cjs', '.github/actions/gwtoken/dist/action.cjs'].map(written);
  if (Math.min(...built) > newestSource()) return;
  console.log('> building the package and the action');
  for (const program of ['action', 'package'])
    execFileSync(process.execPath, [file('bin/build/main.mjs'), program], { stdio: 'inherit' });
}

/** Builds the executable, and `any-keytar`, an executable that loads a test's module in place of keytar. */
export async function buildExecutables() {
  const { ownTarget } = await import('../../bin/build/bun.mjs');
  const { buildExecutable, EXECUTABLES, testKeytar } = await import('../../bin/build/executable.mjs');
  const name = process.platform === 'win32' ? 'gwtoken.exe' : 'gwtoken';
  const module = 'test/harness/programs/any-keytar.cjs';
  const newest = newestSource();
  if (written(join('executables', 'any-keytar', name)) <= Math.max(newest, written(module)))
    await buildExecutable(ownTarget(), join(EXECUTABLES, 'any-keytar'), testKeytar(file(module)));
  if (written(join('executables', name)) <= newest) await buildExecutable(ownTarget(), EXECUTABLES);
}
