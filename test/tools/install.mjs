// npm run test:setup: what the system's tests need and `npm ci` does not bring. Its cost is said first.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { DEBIAN, DEBIAN_SERVICES } from '../harness/debian.mjs';
import { fetchNode, keptNode } from '../harness/programs/node-versions.mjs';
import { installWindows, WINE_PACKAGES } from '../windows/install.mjs';

const inCi = process.env['CI'] === 'true';

export function installForSystem() {
  if (process.platform !== 'linux') return leaveOut('only Debian and its like have what those tests need');
  console.log(`> for npm run test:all, which takes what npm test leaves out: packages of Debian (their size follows), and in
> node_modules/.cache, from npm, Node 24 (120 MB) and, with Wine, a Node for Windows and Wine's own files (750 MB)`);
  installDebianPackages();
  if (keptNode(24) === undefined && fetchNode(24) === undefined)
    leaveOut('npm has no Node 24 for this platform');
  const lacking = installWindows();
  if (lacking !== undefined) leaveOut(`could not install ${lacking} for the Windows tests`);
}

function installDebianPackages() {
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
  if (!existsSync('/usr/bin/apt-get')) return leaveOut(`this is not Debian; missing: ${names}`);
  // Outside CI nobody's password-free sudo is used without being asked for.
  if (process.getuid?.() !== 0 && !inCi)
    return leaveOut(`not root; to install them, run: sudo apt-get install --no-install-recommends ${names}`);
  const install = ['install', '--no-install-recommends', ...missing];
  try {
    apt(['update', '-qq']);
    console.log(`> from Debian: ${names}`);
    for (const line of costOf(install)) console.log(`> ${line}`);
    apt([...install, '-y', '-qq']);
  } catch {
    // What went wrong stands above: apt-get's own stderr.
    if (!inCi) return leaveOut(`apt-get failed, so these Debian packages are missing: ${names}`);
    console.error('> apt-get failed, and CI must run every test');
    process.exitCode = 1;
  }
}

/**
 * apt-get's own figures: how many packages, and how many MB to fetch and on disk.
 * @param {readonly string[]} install
 */
function costOf(install) {
  const env = { ...process.env, LC_ALL: 'C' };
  try {
    execFileSync('apt-get', [...install, '--assume-no'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    // It ends with 1, as asked to.
    const { stdout = '' } = /** @type {{ stdout?: string }} */ (error);
    return stdout
      .split('\n')
      .filter((line) => /newly installed|^Need to get|^After this operation/.test(line));
  }
  return [];
}

/** @param {string[]} args */
function apt(args) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [program = 'env', ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
  execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string} why */
function leaveOut(why) {
  console.log(`> ${why}; tests that need them are left out`);
}
