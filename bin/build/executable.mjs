// Builds a platform's standalone executable: rolldown bundles bin/gwtoken-executable.ts, and Bun compiles
// the bundle and keytar's native module into its runtime.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { BUN, BUN_FOLDER, compile } from './bun.mjs';
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
/** Ends in `.data`, so that Bun embeds the module. Bun would load `.node` from the temporary directory. */
const KEYTAR = 'keytar.data';
const OTHER_KEYTAR = 'keytar.cjs';

/**
 * Builds the executable of a platform. Resolves with its path.
 * @param {string} target
 * @param {string} directory the target directory
 * @param {string} [otherKeytar] a module that replaces keytar in tests; Bun's variables then stay in effect
 */
export async function buildExecutable(target, directory, otherKeytar) {
  const prebuild = TARGETS[target];
  if (prebuild === undefined) throw new Error(`there is no executable for ${target}`);
  const keytar = dirname(createRequire(import.meta.url).resolve('keytar/package.json'));
  const native = prebuild === null ? '' : readFileSync(join(keytar, 'prebuilds', prebuild, 'keytar.node'));
  mkdirSync(BUN_FOLDER, { recursive: true });
  const scratch = mkdtempSync(join(BUN_FOLDER, 'build-'));
  const bundled = join(scratch, 'bundle');
  try {
    await bundleExecutable(bundled, prebuild !== null, otherKeytar !== undefined);
    if (otherKeytar) copyFileSync(otherKeytar, join(bundled, OTHER_KEYTAR));
    else writeFileSync(join(bundled, KEYTAR), native);
    const file = target.startsWith('windows') ? 'gwtoken.exe' : 'gwtoken';
    compile(target, scratch, file, otherKeytar === undefined);
    mkdirSync(directory, { recursive: true });
    replace(join(directory, file), join(scratch, file));
    addExecutableNotices(bundled, keytar, BUN.version);
    replace(join(directory, NOTICES), join(bundled, NOTICES));
    return join(directory, file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Replaces a file by one that may be on another file system. Renames the copy, because the previous
 * executable may be running.
 * @param {string} path
 * @param {string} by
 */
function replace(path, by) {
  const copy = `${path}.new`;
  copyFileSync(by, copy);
  renameSync(copy, path);
}

/**
 * Bundles the input of Bun: `executable.cjs` and the files that it requires. A single file would load the
 * modules of Node for all parts at every start, which takes longest.
 * @param {string} directory
 * @param {boolean} hasKeytar
 * @param {boolean} [hasOtherKeytar]
 */
export function bundleExecutable(directory, hasKeytar, hasOtherKeytar = false) {
  return bundle(directory, {
    input: { ...ENTRIES, executable: 'bin/gwtoken-executable.ts' },
    define: { __EXECUTABLE__: 'true', __KEYTAR__: String(hasKeytar) },
    plugins: [externalKeytar(hasOtherKeytar), programsAsModules],
    codeSplitting: {
      groups: [{ name: 'distribution', test: /system[\\/]distribution\.ts$/, priority: 4 }, ...GROUPS],
    },
  });
}

/**
 * Loads keytar's native module from beside the bundle, or a test's module in place of the loader.
 * @param {boolean} hasOtherKeytar
 * @returns {import('rolldown').Plugin}
 */
const externalKeytar = (hasOtherKeytar) => ({
  name: 'external-keytar',
  resolveId(id) {
    if (id === 'keytar.node') return { id: `./${KEYTAR}`, external: true };
    if (hasOtherKeytar && id === './keytar') return { id: `./${OTHER_KEYTAR}`, external: true };
    return undefined;
  },
});

/**
 * Marks the programs as modules, because they export nothing: if another file imports one, rolldown treats it
 * as CommonJS, and then wraps each module of the quick path in a function.
 * @type {import('rolldown').Plugin}
 */
const programsAsModules = {
  name: 'programs-as-modules',
  transform: (code, id) =>
    Object.values(ENTRIES).includes(relative(ROOT, id).replaceAll('\\', '/'))
      ? `${code}\nexport {};`
      : undefined,
};
