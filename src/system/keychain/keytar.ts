/** Keytar in the keychain's child: from node_modules, or its native part from inside the executable. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

declare const __EXECUTABLE__: boolean;
declare const __KEYTAR__: boolean;

export type Keytar = typeof import('keytar');

export function loadKeytar(): Keytar {
  // Built without it, since upstream has no native part for the platform.
  if (__EXECUTABLE__ && !__KEYTAR__) throw new Error('there is none for Linux on arm64 with musl');
  return __EXECUTABLE__ ? loadNativePart(require('keytar.node')) : loadPackage(directoryOfKeytar());
}

function loadPackage(directory: string): Keytar {
  try {
    return require(directory);
  } catch (error) {
    // keytar's index.js drops the loader's message, which dlopen throws again.
    const prebuilt = join(directory, 'prebuilds', `${process.platform}-${process.arch}`);
    process.dlopen({ exports: {} }, join(prebuilt, 'keytar.node'));
    throw error;
  }
}

/**
 * Returns keytar's directory: in gwtoken's own node_modules, or beside gwtoken, where npm puts it. A plain
 * `require` would climb on to `/tmp/node_modules` and the like, where others can put a module.
 *
 * @throws an error with the code MODULE_NOT_FOUND
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
 * Loads the file that the executable contains, without keytar's index.js, which only finds it. Bun itself
 * would unpack it under a foreseeable name, and load any file of the right size and owner that lies there.
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

/** Removes the directory. Windows removes no loaded file: there it removes those of earlier runs. */
function sweep(own: string): void {
  const names = process.platform === 'win32' ? readdirSync(tmpdir()) : [];
  const others = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(tmpdir(), name));
  for (const path of [own, ...others]) {
    try {
      if (path === own || Date.now() - statSync(path).mtimeMs > 60_000) rmSync(path, { recursive: true });
    } catch {
      // Loaded by another process, or gone.
    }
  }
}
