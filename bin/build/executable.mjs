// Builds a platform's standalone executable: rolldown bundles bin/gwtoken-executable.ts, and Bun compiles
// the bundle and keytar's native module into its runtime.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BUN, BUN_FOLDER, compile, REPLACED } from './bun.mjs';
import { addExecutableNotices, NOTICES } from './notices.mjs';
import { bundle, ENTRIES, GROUPS, ROOT } from './package.mjs';

/** Contains this machine's `gwtoken`, or a directory for each platform. Git and npm ignore it. */
export const EXECUTABLES = join(ROOT, 'executables');
/**
 * Each platform with the directory of keytar's native module for it. In linuxmusl-arm64, keytar 7.10.6 has
 * x64's, which cannot load there.
 * @type {Record<string, string | null>}
 */
export const TARGETS = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64-musl': 'linuxmusl-x64',
  'linux-arm64-musl': null,
  'darwin-arm64': 'darwin-arm64',
  'windows-x64': 'win32-x64',
  'windows-arm64': 'win32-arm64',
};
/**
 * The module that is loaded from beside the bundle: its import, its file's name there, the file to copy (by
 * default the target's), and the texts to replace in Bun.
 * @typedef {{ id: string, file: string, source?: string, replaced: Readonly<Record<string, string>> }} External
 */
/**
 * keytar's native module. Ends in `.data`, because Bun would load `.node` from the temporary directory.
 * @type {External}
 */
const NATIVE = { id: 'keytar.node', file: 'keytar.data', replaced: REPLACED };
/**
 * Returns a test's module, which replaces the one that loads keytar. Bun's variables stay in effect.
 * @param {string} source @returns {External}
 */
export const testKeytar = (source) => ({ id: './keytar', file: 'keytar.cjs', source, replaced: {} });

/**
 * Builds the executable of a platform. Resolves with its path.
 * @param {string} target
 * @param {string} directory the target directory
 * @param {External} [external]
 */
export async function buildExecutable(target, directory, external = NATIVE) {
  const prebuild = TARGETS[target];
  if (prebuild === undefined) throw new Error(`there is no executable for ${target}`);
  const keytar = dirname(createRequire(import.meta.url).resolve('keytar/package.json'));
  const native = prebuild && join(keytar, 'prebuilds', prebuild, 'keytar.node');
  const source = external.source ?? native;
  mkdirSync(BUN_FOLDER, { recursive: true });
  const scratch = mkdtempSync(join(BUN_FOLDER, 'build-'));
  const bundled = join(scratch, 'bundle');
  try {
    await bundleExecutable(bundled, prebuild !== null, external);
    writeFileSync(join(bundled, external.file), source ? readFileSync(source) : '');
    const file = target.startsWith('windows') ? 'gwtoken.exe' : 'gwtoken';
    compile(target, scratch, file, external.replaced);
    addExecutableNotices(bundled, keytar, BUN.version);
    // Unlike copyFileSync, cpSync removes the previous executable first, because it may be running.
    cpSync(join(scratch, file), join(directory, file));
    cpSync(join(bundled, NOTICES), join(directory, NOTICES));
    return join(directory, file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Bundles the input of Bun: `executable.cjs` and the files that it requires. A single file would load the
 * modules of Node for all parts at every start, which takes longest.
 * @param {string} directory
 * @param {boolean} hasKeytar
 * @param {External} [external]
 */
export function bundleExecutable(directory, hasKeytar, external = NATIVE) {
  /** @type {import('rolldown').Plugin} */
  const withExternal = {
    name: 'with-external',
    resolveId: (id) => (id === external.id ? { id: `./${external.file}`, external: true } : undefined),
  };
  return bundle(directory, {
    input: { ...ENTRIES, executable: 'bin/gwtoken-executable.ts' },
    define: { __EXECUTABLE__: 'true', __KEYTAR__: String(hasKeytar) },
    plugins: [withExternal],
    groups: [{ name: 'distribution', test: /system[\\/]distribution\.ts$/, priority: 4 }, ...GROUPS],
  });
}
