/** Loads keytar in the keychain's child: from node_modules, or its native part from the executable. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

declare const __EXECUTABLE__: boolean;
declare const __KEYTAR__: boolean;

export type Keytar = typeof import('keytar');

/** The error of the executable for the only platform for which keytar has no native part. */
const NO_KEYTAR = 'keytar does not run on Linux on arm64 with musl';

export function loadKeytar(): Keytar {
  if (__EXECUTABLE__ && !__KEYTAR__) throw new Error(NO_KEYTAR);
  return __EXECUTABLE__ ? loadNativePart(require('keytar.node')) : loadPackage(directoryOfKeytar());
}

function loadPackage(directory: string): Keytar {
  try {
    return require(directory);
  } catch (error) {
    // keytar's index.js drops the loader's message; dlopen throws it again.
    const prebuilt = join(directory, 'prebuilds', `${process.platform}-${process.arch}`);
    process.dlopen({ exports: {} }, join(prebuilt, 'keytar.node'));
    throw error;
  }
}

/**
 * Returns keytar's directory, which npm puts into gwtoken's own node_modules or beside gwtoken. A plain
 * `require` would also look into directories such as `/tmp/node_modules`, where other users can put a module.
 * Throws an error with the code MODULE_NOT_FOUND.
 */
function directoryOfKeytar(): string {
  const gwtoken = dirname(__dirname);
  const [shared] = /^.*[\\/]node_modules(?=[\\/](@[^\\/]+[\\/])?[^\\/]+$)/.exec(gwtoken) ?? [];
  const homes = [join(gwtoken, 'node_modules'), ...(shared === undefined ? [] : [shared])];
  const found = homes.map((home) => join(home, 'keytar')).find((directory) => existsSync(directory));
  if (found !== undefined) return found;
  throw Object.assign(new Error(`no keytar in ${homes.join(' or ')}`), { code: 'MODULE_NOT_FOUND' });
}

const PREFIX = 'gwtoken-keychain-';

/**
 * Loads the native file that the executable contains; keytar's index.js would only locate it. The file is
 * copied to a new directory first: Bun would unpack it under a predictable name, and would load any file
 * that it finds there with the right size and owner.
 */
function loadNativePart(contained: string): Keytar {
  const loaded = { exports: {} as Keytar };
  const directory = mkdtempSync(join(tmpdir(), PREFIX));
  const file = join(directory, 'keytar.node');
  try {
    writeFileSync(file, readFileSync(contained));
    process.dlopen(loaded, file);
    return loaded.exports;
  } finally {
    sweep(directory);
  }
}

/** Removes the directory. Windows cannot remove a loaded file, so there a later run removes it. */
function sweep(own: string): void {
  const names = process.platform === 'win32' ? readdirSync(tmpdir()) : [];
  const earlier = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(tmpdir(), name));
  for (const path of [own, ...earlier]) {
    try {
      if (path === own || Date.now() - statSync(path).mtimeMs > 60_000) rmSync(path, { recursive: true });
    } catch {
      // Another process has loaded or removed it.
    }
  }
}
