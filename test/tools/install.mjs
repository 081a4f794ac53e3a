// npm run test:setup: installs what the system tests need beyond `npm ci`.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { DEBIAN } from '../harness/debian.mjs';
import { installWindows, WINE_PACKAGES } from '../windows/install.mjs';

/** Installs the packages. On a terminal apt-get shows them and asks first. */
export function installForSystem() {
  if (!existsSync('/usr/bin/apt-get')) return leaveOut('the system tests need packages of Debian');
  const missing = Object.entries({ ...DEBIAN, ...WINE_PACKAGES })
    .filter(([, path]) => !existsSync(path))
    .map(([name]) => name);
  try {
    if (missing.length > 0) {
      aptGet('update', '-qq');
      // CI's machine is thrown away, so dpkg need not wait for its disk.
      const unsafe = process.env['CI'] === 'true' ? ['-o', 'Dpkg::Options::=--force-unsafe-io'] : [];
      const options = ['--no-install-recommends', ...unsafe, ...(process.stdin.isTTY ? [] : ['-y'])];
      aptGet('install', ...options, ...missing);
    }
  } catch {
    // apt-get has already shown the error on its stderr.
    leaveOut(`these Debian packages are missing: ${missing.join(' ')}`);
    // CI must run every test.
    if (process.env['CI'] === 'true') process.exitCode = 1;
  }
  const lacking = installWindows();
  if (lacking !== undefined) leaveOut(`could not install ${lacking} for the Windows tests`);
}

/** @param {string[]} args */
function aptGet(...args) {
  const words = [...(process.getuid?.() === 0 ? [] : ['sudo']), 'env', 'DEBIAN_FRONTEND=noninteractive'];
  execFileSync('/usr/bin/env', [...words, 'apt-get', ...args], { stdio: 'inherit' });
}

/** @param {string} why */
function leaveOut(why) {
  console.log(`> ${why}; tests that need them are left out`);
}
