// The standalone executable of a platform: rolldown's bundle of bin/gwtoken-executable.ts, compiled into
// Bun's runtime with keytar's native part in it.
import {
  appendFileSync,
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
import { BUN, BUN_FOLDER, bunLicense, compile } from './bun.mjs';
import { bundle, ENTRIES, GROUPS, NOTICES, ROOT, RULE } from './package.mjs';
import { machineOf } from './verify.mjs';

/** For this machine `gwtoken` in it, for all in a directory of each; ignored by git and npm. */
export const EXECUTABLES = join(ROOT, 'executables');
/** The platforms, each with the directory of keytar's native part for it. @type {Record<string, string>} */
export const TARGETS = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-x64-musl': 'linuxmusl-x64',
  'linux-arm64-musl': 'linuxmusl-arm64',
  'darwin-arm64': 'darwin-arm64',
  'windows-x64': 'win32-x64',
  'windows-arm64': 'win32-arm64',
};
/** Upstream's package has x64's native part there, 7.10.6 at least: no keychain could be opened. */
const WITHOUT_KEYTAR = 'linux-arm64-musl';
/** Named so that Bun takes it for data: a native module it would load from the temporary directory. */
const KEYTAR = 'keytar.data';
const OTHER_KEYTAR = 'keytar.cjs';

/**
 * Makes the executable of a platform, and gives its path.
 * @param {string} target
 * @param {string} directory where to put it
 * @param {string} [otherKeytar] for tests: a module in keytar's place; Bun's variables are heeded
 */
export async function buildExecutable(target, directory, otherKeytar) {
  const prebuild = TARGETS[target];
  if (prebuild === undefined) throw new Error(`there is no executable for ${target}`);
  const module = dirname(createRequire(import.meta.url).resolve('keytar/package.json'));
  const { name, version } = JSON.parse(readFileSync(join(module, 'package.json'), 'utf8'));
  const native = readFileSync(join(module, 'prebuilds', prebuild, 'keytar.node'));
  const isUsable = machineOf(native) === target.replace('-musl', '');
  if (isUsable === (target === WITHOUT_KEYTAR))
    throw new Error(`keytar's native part for ${target} is for ${machineOf(native)}: see WITHOUT_KEYTAR`);
  mkdirSync(BUN_FOLDER, { recursive: true });
  const made = mkdtempSync(join(BUN_FOLDER, 'build-'));
  const bundled = join(made, 'bundle');
  try {
    await bundleExecutable(bundled, isUsable, otherKeytar !== undefined);
    if (otherKeytar) copyFileSync(otherKeytar, join(bundled, OTHER_KEYTAR));
    else writeFileSync(join(bundled, KEYTAR), isUsable ? native : '');
    const file = target.startsWith('windows') ? 'gwtoken.exe' : 'gwtoken';
    compile(target, made, file, otherKeytar === undefined);
    mkdirSync(directory, { recursive: true });
    // In one step: the one before may be running.
    renameSync(join(made, file), join(directory, file));
    const others = {
      [`${name} ${version} (MIT)`]: readFileSync(join(module, 'LICENSE.md'), 'utf8').trim(),
      [`bun ${BUN.version} (MIT, with parts under LGPL-2.0 and LGPL-2.1)`]: bunLicense(),
    };
    for (const [title, text] of Object.entries(others))
      appendFileSync(join(bundled, NOTICES), `${RULE}${title}\n\n${text}`);
    renameSync(join(bundled, NOTICES), join(directory, NOTICES));
    return join(directory, file);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * The input of Bun: `executable.cjs`, and the files that it requires. In files, as the npm package has it: in
 * one, the modules of Node that any part needs would be loaded at every start, which takes longest.
 * @param {string} directory
 * @param {boolean} hasKeytar
 * @param {boolean} [hasOtherKeytar]
 */
export function bundleExecutable(directory, hasKeytar, hasOtherKeytar = false) {
  return bundle(directory, {
    input: { ...ENTRIES, executable: 'bin/gwtoken-executable.ts' },
    define: { __EXECUTABLE__: 'true', __KEYTAR__: String(hasKeytar) },
    plugins: [ofTheExecutable(hasOtherKeytar)],
    codeSplitting: { groups: [{ name: 'form', test: /system[\\/]form\.ts$/, priority: 4 }, ...GROUPS] },
  });
}

/**
 * keytar's native part from beside the bundle, or the tests' module in the place of what loads it. The
 * programs, which export nothing, are marked as modules: where another file imports them, rolldown takes them
 * for CommonJS, and then each module of the quick path for one that has to be started by a call.
 * @param {boolean} hasOtherKeytar
 * @returns {import('rolldown').Plugin}
 */
const ofTheExecutable = (hasOtherKeytar) => ({
  name: 'of-the-executable',
  resolveId(id) {
    if (id === 'keytar.node') return { id: `./${KEYTAR}`, external: true };
    if (hasOtherKeytar && id === './keytar') return { id: `./${OTHER_KEYTAR}`, external: true };
    return undefined;
  },
  transform: (code, id) =>
    Object.values(ENTRIES).includes(relative(ROOT, id).replaceAll('\\', '/'))
      ? `${code}\nexport {};`
      : undefined,
});
