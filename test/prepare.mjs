// What every script needs before it starts on a fresh clone: the packages of the lock file and a current build.
// With --packages, as root on Debian, also the system's packages that the tests use (a keyring and shells).
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
/** @param {string} command @param {string[]} args */
const run = (command, args) =>
  execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });

const installed = join(root, 'node_modules', '.package-lock.json');
if (
  !existsSync(installed) ||
  statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs
) {
  console.log('> installing the packages of package-lock.json');
  run(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}
run(process.execPath, [join(root, 'bin', 'build.mjs')]);

/** Debian's packages, each with the program or file that tells that it is there. */
const DEBIAN = {
  'gnome-keyring': '/usr/bin/gnome-keyring-daemon',
  'dbus-daemon': '/usr/bin/dbus-daemon',
  'dbus-bin': '/usr/bin/dbus-send',
  'libsecret-tools': '/usr/bin/secret-tool',
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
  vim: '/usr/bin/vim',
};

const isDebian = existsSync('/etc/debian_version');
if (process.argv.includes('--packages') && isDebian) {
  const missing = Object.entries(DEBIAN)
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => name);
  if (missing.length > 0 && process.getuid?.() === 0) {
    console.log(`> installing Debian packages for the tests: ${missing.join(' ')}`);
    /** @type {import('node:child_process').ExecFileSyncOptions} */
    const quiet = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    execFileSync('apt-get', ['update', '-qq'], quiet);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], quiet);
  } else if (missing.length > 0) {
    console.log(
      `> not root, so these Debian packages are left out, and their tests with them: ${missing.join(' ')}`,
    );
  }
}
