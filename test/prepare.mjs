// What every script needs before it starts on a fresh clone: the packages of the lock file and a current build.
// With --packages, on Debian and its like, also the system's packages that the tests use (a keyring and shells).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEBIAN, DEBIAN_SERVICES } from './harness/debian.mjs';
import { installWindows, WINE_PACKAGES } from './windows/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** @param {string} path */
const file = (path) => join(root, path);
/** When a file was last written, in milliseconds; 0 when there is none. @param {string} path */
const written = (path) => statSync(file(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const LOCK = 'package-lock.json';
const INSTALLED = 'node_modules/.package-lock.json';

if (written(INSTALLED) < written(LOCK)) {
  console.log(`> installing the packages of ${LOCK}`);
  const windows = process.platform === 'win32';
  // Whatever the user's npm leaves out by habit (NODE_ENV=production), the build needs these.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd: root, stdio: 'inherit', shell: windows });
}

// A build of what is built already would take dist/ away from programs that are running.
const sources = [
  'src',
  ...readdirSync(file('src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name)),
];
const newest = Math.max(
  ...[
    ...sources,
    'bin/build/action.mjs',
    'bin/build/package.mjs',
    'bin/build/man-page.ts',
    'package.json',
    INSTALLED,
  ].map(written),
);
if (written('dist/gwtoken.cjs') <= newest)
  execFileSync(process.execPath, [file('bin/build/package.mjs')], { stdio: 'inherit' });

if (process.argv.includes('--executable')) {
  const { buildExecutable, EXECUTABLES, ownTarget } = await import('../bin/build/executable.mjs');
  const target = ownTarget();
  const name = process.platform === 'win32' ? 'gwtoken.exe' : 'gwtoken';
  const latest = Math.max(newest, written('bin/build/executable.mjs'));
  // The tests' own: it has whichever module is named at its start in keytar's place.
  const module = 'test/harness/programs/any-keytar.cjs';
  if (written(join('executables', 'any-keytar', name)) <= Math.max(latest, written(module)))
    await buildExecutable(target, join(EXECUTABLES, 'any-keytar'), file(module));
  if (written(join('executables', name)) <= latest) await buildExecutable(target, EXECUTABLES);
}

if (process.argv.includes('--packages') && process.platform === 'linux') {
  installDebianPackages();
  const nushell = `@nushell/linux-${process.arch}`;
  installFromNpm('nushell', [`${nushell}@0.108.0`], [`${nushell}/bin/nu`]);
  const recipes = ['httpyac@6.16.7', '@usebruno/cli@4.1.0', 'rust-just@1.57.0', '@jdxcode/mise@2026.9.15'];
  installFromNpm('recipes', recipes, ['.bin/httpyac', '.bin/bru', '.bin/just', '.bin/mise']);
  const lacking = installWindows();
  if (lacking !== undefined) leaveOut(`could not install ${lacking} for the Windows tests`);
}

function installDebianPackages() {
  const inCi = process.env['CI'] === 'true';
  /** @param {Record<string, string>} packages */
  const lacks = (packages) =>
    Object.entries(packages).flatMap(([name, path]) => (existsSync(path) ? [] : [name]));
  const services = lacks(DEBIAN_SERVICES);
  const starts = !inCi && existsSync('/run/systemd/system');
  if (starts && services.length > 0)
    leaveOut(`these would start services, so install them yourself if you want them: ${services.join(' ')}`);
  const missing = [...lacks({ ...DEBIAN, ...WINE_PACKAGES }), ...(starts ? [] : services)];
  const names = missing.join(' ');
  if (missing.length === 0) return;
  if (!existsSync('/usr/bin/apt-get')) {
    leaveOut(`this is not Debian, so these Debian packages are not installed: ${names}`);
    return;
  }
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  // Outside CI nobody's password-free sudo is used without being asked for.
  if (sudo.length > 0 && !inCi) {
    leaveOut(`not root, so these Debian packages are not installed: ${names}`);
    return;
  }
  console.log(`> installing Debian packages for the tests: ${names}`);
  try {
    apt(sudo, ['update', '-qq']);
    apt(sudo, ['install', '-y', '-qq', '--no-install-recommends', ...missing]);
  } catch {
    // What went wrong stands above: apt-get's own stderr.
    if (!inCi) return leaveOut(`apt-get failed, so these Debian packages are missing: ${names}`);
    console.error('> apt-get failed, and CI must run every test');
    process.exitCode = 1;
  }
}

/**
 * Programs for the tests that npm has and Debian does not: what `gwtoken help recipes` is for, and nushell, of which
 * 0.108 is the last that takes Node 20. They are not among our own packages: they are larger than all of those, and a
 * registry need not have nushell's builds for all platforms: a lock file that lacks one is refused by `npm ci`.
 *
 * @param {string} folder
 * @param {readonly string[]} packages each with its version
 * @param {readonly string[]} programs what has to be there
 */
function installFromNpm(folder, packages, programs) {
  const prefix = file(`node_modules/.cache/${folder}`);
  if (programs.every((program) => existsSync(join(prefix, 'node_modules', program)))) return;
  console.log(`> fetching ${packages.join(', ')} for the tests`);
  try {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', prefix, ...quiet, ...packages], { stdio: 'inherit' });
  } catch {
    leaveOut(`npm has not all of ${packages.join(', ')}`);
  }
}

/** @param {string[]} sudo @param {string[]} args */
function apt(sudo, args) {
  const [program = 'env', ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
  execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string} why */
function leaveOut(why) {
  console.log(`> ${why}; tests that need them are skipped and listed at the end`);
}
