/** Keytar in the keychain's child: from node_modules, or its native part from inside the executable. */
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

declare const __EXECUTABLE__: boolean;
declare const __KEYTAR__: boolean;

export type Keytar = typeof import('keytar');

export function loadKeytar(): Keytar {
  // Built without it, since upstream has no native part for the platform.
  if (__EXECUTABLE__ && !__KEYTAR__) throw Object.assign(new Error('not built in'), { code: 'NO_KEYTAR' });
  return __EXECUTABLE__ ? loadNativePart(require('keytar.node')) : require(folderOfKeytar());
}

/**
 * Returns keytar's folder: in gwtoken's own node_modules, or beside gwtoken, where npm puts it. A plain
 * `require` would climb on to `/tmp/node_modules` and the like, where others can put a module.
 *
 * @throws an error with the code MODULE_NOT_FOUND
 */
function folderOfKeytar(): string {
  const gwtoken = dirname(__dirname);
  const [shared] = /^.*[\\/]node_modules(?=[\\/](@[^\\/]+[\\/])?[^\\/]+$)/.exec(gwtoken) ?? [];
  const homes = [join(gwtoken, 'node_modules'), ...(shared === undefined ? [] : [shared])];
  const found = homes.map((home) => join(home, 'keytar')).find((folder) => existsSync(folder));
  if (found !== undefined) return found;
  throw Object.assign(new Error(`no keytar in ${homes.join(' or ')}`), { code: 'MODULE_NOT_FOUND' });
}

const PREFIX = 'gwtoken-keychain-';

/**
 * Loads the file that the executable contains, without keytar's index.js, which only finds it. Bun itself
 * would unpack it under a foreseeable name, and load any file of the right size and owner that lies there.
 */
function loadNativePart(contained: string): Keytar {
  const runtime = process.env['XDG_RUNTIME_DIR'];
  try {
    return loadFrom(tmpdir(), contained);
  } catch (error) {
    // Nothing can be loaded from a file system that is mounted noexec, as some have it for /tmp.
    if (process.platform !== 'linux' || !runtime) throw error;
    return loadFrom(runtime, contained);
  }
}

function loadFrom(temporary: string, contained: string): Keytar {
  const loaded = { exports: {} as Keytar };
  const directory = mkdtempSync(join(temporary, PREFIX));
  const file = join(directory, 'keytar.node');
  if (process.platform === 'linux') {
    // By its descriptor: nobody can put another file in its place, and a killed process leaves none.
    const descriptor = openSync(file, 'wx', 0o700);
    unlinkSync(file);
    rmdirSync(directory);
    writeFileSync(descriptor, readFileSync(contained));
    process.dlopen(loaded, `/proc/self/fd/${descriptor}`);
  } else {
    writeFileSync(file, readFileSync(contained), { flag: 'wx' });
    process.dlopen(loaded, file);
    sweep(directory);
  }
  return loaded.exports;
}

/** Removes the directory, and those that were left behind: Windows removes no file that is loaded. */
function sweep(directory: string): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    try {
      if (path === directory || (name.startsWith(PREFIX) && Date.now() - statSync(path).mtimeMs > 60_000))
        rmSync(path, { recursive: true });
    } catch {
      // Loaded by another process, or gone.
    }
  }
}

/** Returns the loader's own message, which keytar's index.js drops, by loading the native part again. */
export function whyNotLoaded(): string | undefined {
  if (__EXECUTABLE__) return undefined;
  try {
    const native = join(folderOfKeytar(), 'prebuilds', `${process.platform}-${process.arch}`, 'keytar.node');
    process.dlopen({ exports: {} }, native);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
