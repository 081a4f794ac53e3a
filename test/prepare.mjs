// What every script needs before it starts on a fresh clone: the packages of the lock file and a current build.
// With --packages, on Debian and its like, also the system's packages that the tests use (a keyring and shells).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installWindows, WINE_PACKAGES } from './windows/install.mjs';

/** Debian's packages, each with the program or file that tells that it is there. */
const DEBIAN = {
  'gnome-keyring': '/usr/bin/gnome-keyring-daemon',
  'dbus-daemon': '/usr/bin/dbus-daemon',
  'dbus-bin': '/usr/bin/dbus-send',
  systemd: '/usr/bin/busctl',
  'libglib2.0-bin': '/usr/bin/gdbus',
  'libsecret-tools': '/usr/bin/secret-tool',
  openssl: '/usr/bin/openssl',
  keepassxc: '/usr/bin/keepassxc',
  'libkf5wallet-bin': '/usr/bin/kwalletd5',
  'libqca-qt5-2-plugins': '/usr/share/doc/libqca-qt5-2-plugins/copyright',
  xvfb: '/usr/bin/Xvfb',
  xdotool: '/usr/bin/xdotool',
  'python3-jeepney': '/usr/lib/python3/dist-packages/jeepney/__init__.py',
  dash: '/usr/bin/dash',
  bash: '/usr/bin/bash',
  zsh: '/usr/bin/zsh',
  'ksh93u+m': '/usr/bin/ksh93',
  mksh: '/usr/bin/mksh',
  busybox: '/usr/bin/busybox',
  fish: '/usr/bin/fish',
  tcsh: '/usr/bin/tcsh',
  elvish: '/usr/bin/elvish',
  less: '/usr/bin/less',
  procps: '/usr/bin/ps',
  vim: '/usr/bin/vim',
  mandoc: '/usr/bin/mandoc',
  curl: '/usr/bin/curl',
  httpie: '/usr/bin/http',
  jq: '/usr/bin/jq',
  make: '/usr/bin/make',
  direnv: '/usr/bin/direnv',
  git: '/usr/bin/git',
  rsync: '/usr/bin/rsync',
  buildah: '/usr/bin/buildah',
  'dnsmasq-base': '/usr/sbin/dnsmasq',
  iproute2: '/usr/bin/ip',
  strace: '/usr/bin/strace',
  ...WINE_PACKAGES,
};

/** The same, but their packages start a service: on a machine that keeps services, a developer has to want that. */
const DEBIAN_SERVICES = {
  tinyproxy: '/usr/bin/tinyproxy',
  squid: '/usr/sbin/squid',
  nginx: '/usr/sbin/nginx',
};

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
  ...[...sources, 'bin/action.mjs', 'bin/build.mjs', 'bin/man-page.ts', 'package.json', INSTALLED].map(
    written,
  ),
);
if (written('dist/gwtoken.cjs') <= newest)
  execFileSync(process.execPath, [file('bin/build.mjs')], { stdio: 'inherit' });

if (process.argv.includes('--executable')) {
  const { buildExecutable, EXECUTABLES, ownTarget } = await import('../bin/executable.mjs');
  const target = ownTarget();
  const name = process.platform === 'win32' ? 'gwtoken.exe' : 'gwtoken';
  const latest = Math.max(newest, written('bin/executable.mjs'));
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
  const missing = [...lacks(DEBIAN), ...(starts ? [] : services)];
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
