// The standalone executable, for this machine or (--all) for every platform, and with --pack what a release has of it
// (pack.mjs): rolldown's bundle of bin/gwtoken-executable.ts,
// compiled into Bun's runtime with keytar's native part in it. What must not be forgotten stands in COMPILE.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { machineOf, signAdHoc, verifySignature } from './mach-o.mjs';
import { pack, writeManifests } from './pack.mjs';
import { build, bundle, ENTRIES, GROUPS, NOTICES, RULE } from './package.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const require = createRequire(import.meta.url);
/** For this machine `gwtoken` in it, for all in a folder of each; ignored by git, and not of the npm package. */
export const EXECUTABLES = join(root, 'executables');
/** Named so that Bun takes it for data: what it takes for a native module it loads from the temporary directory. */
const KEYTAR = 'keytar.data';
const OTHER_KEYTAR = 'keytar.cjs';
const RUNTIMES = join(root, 'node_modules', '.cache', 'bun');
/** @type {{ version: string, description: string }} */
const { version: VERSION, description: DESCRIPTION } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
/** @type {{ version: string, integrity: Record<string, string> }} */
const BUN = JSON.parse(readFileSync(new URL('bun.json', import.meta.url), 'utf8'));

/**
 * Each platform: the package of its runtime, and where keytar has its native part.
 * @type {Record<string, readonly [runtime: string, prebuild: string]>}
 */
const TARGETS = {
  'linux-x64': ['@oven/bun-linux-x64', 'linux-x64'],
  'linux-arm64': ['@oven/bun-linux-aarch64', 'linux-arm64'],
  'linux-x64-musl': ['@oven/bun-linux-x64-musl', 'linuxmusl-x64'],
  'linux-arm64-musl': ['@oven/bun-linux-aarch64-musl', 'linuxmusl-arm64'],
  'darwin-arm64': ['@oven/bun-darwin-aarch64', 'darwin-arm64'],
  'darwin-x64': ['@oven/bun-darwin-x64', 'darwin-x64'],
  'windows-x64': ['@oven/bun-windows-x64', 'win32-x64'],
  'windows-arm64': ['@oven/bun-windows-aarch64', 'win32-arm64'],
};

/** Upstream's package has x64's native part there, 7.10.6 at least: no keychain could be opened. */
const WITHOUT_KEYTAR = ['linux-arm64-musl'];

/**
 * Bytecode saves the parser's time at each start. What Bun reads by itself in the folder that a program is started in
 * belongs to whoever made that folder: an `.env` would give GWTOKEN_* variables, a bunfig.toml run a script of its own.
 */
const COMPILE = [
  '--compile',
  '--bytecode',
  '--format=cjs',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
  // Nothing here runs long enough to be worth compiling: a warm get takes 6 % less, a cold one and --help 13 %.
  '--compile-jit-policy=1000',
];

/**
 * Writes what Windows shows of the file into a runtime, which otherwise says that it is Bun by Oven. Bun's own flags for
 * it work on Windows only.
 * @param {string} runtime
 */
function nameForWindows(runtime) {
  const file = NtExecutable.from(readFileSync(runtime), { ignoreCert: true });
  const resources = NtExecutableResource.from(file);
  const [info] = Resource.VersionInfo.fromEntries(resources.entries);
  if (info === undefined) throw new Error(`${runtime} has no version resource`);
  const numbers = VERSION.replace(/-.*/, '');
  info.setFileVersion(`${numbers}.0`);
  info.setProductVersion(`${numbers}.0`);
  for (const language of info.getAllLanguagesForStringValues())
    info.setStringValues(language, {
      ProductName: 'gwtoken',
      CompanyName: 'The gwtoken maintainers',
      FileDescription: DESCRIPTION,
      FileVersion: VERSION,
      ProductVersion: VERSION,
      InternalName: 'gwtoken',
      OriginalFilename: 'gwtoken.exe',
      LegalCopyright: 'MIT License',
    });
  info.outputToResourceEntries(resources.entries);
  resources.outputResource(file);
  writeFileSync(runtime, Buffer.from(file.generate()));
}

/**
 * What the runtime does by itself that gwtoken must not, each with a text of the same length in its place: a name with
 * a `=` is no variable's, and nobody listens on the discard port. The variables make it the command line of Bun, load
 * scripts and open a debugger; the address gets a report of each crash, unasked on macOS and Windows.
 */
const CLOSED = {
  BUN_BE_BUN: 'BUN=BE=BUN',
  BUN_OPTIONS: 'BUN=OPTIONS',
  BUN_INSPECT: 'BUN=INSPECT',
  'https://bun.report': 'http://127.0.0.1:9',
};

/** Bun's package brings no text of its licence: what its LICENSE.md asks to be passed on. */
const OF_BUN = `This executable contains the runtime of Bun, https://bun.com, which is licensed under the MIT License.

Bun statically links JavaScriptCore and other parts of WebKit, which are licensed under the GNU Library General Public
License, version 2, and further libraries under licences of their own. The list, and where the source of each is:
https://github.com/oven-sh/bun/blob/main/LICENSE.md

To run gwtoken with a changed WebKit: build Bun with it, as that page says, and build this executable with the Bun that
you have made (in gwtoken's source: bin/build/executable.mjs).`;

/**
 * @param {string} title
 * @param {string} text
 */
const notices = (title, text) => `${RULE}${title}\n\n${text.trim()}`;

/**
 * Copies a runtime without what {@link CLOSED} names, and gives the copy's path.
 * @param {string} runtime
 * @param {string} file
 */
function writeClosed(runtime, file) {
  const bytes = readFileSync(runtime);
  for (const [name, instead] of Object.entries(CLOSED)) {
    let at = bytes.indexOf(name);
    if (at < 0)
      throw new Error(`${runtime} has no ${name} that could be closed: see what this version of Bun has`);
    for (; at >= 0; at = bytes.indexOf(name, at)) bytes.write(instead, at, 'latin1');
  }
  writeFileSync(file, bytes, { mode: 0o755 });
  return file;
}

/** @param {string} target */
function packagesOf(target) {
  const packages = TARGETS[target];
  if (packages === undefined) throw new Error(`Bun does not run on ${target}: there is no executable for it`);
  return packages;
}

/** The platform of this machine. */
export function ownTarget() {
  const libc = process.platform === 'linux' && isMusl() ? '-musl' : '';
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `${platform}-${process.arch}${libc}`;
}

function isMusl() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined;
}

/**
 * Makes the executable of a platform, and gives its path.
 * @param {string} target
 * @param {string} folder where to put it
 * @param {string} [otherKeytar] for tests: a module in the place of the platform's keytar; Bun's variables are heeded
 */
export async function buildExecutable(target, folder, otherKeytar) {
  const [runtime, prebuild] = packagesOf(target);
  const module = dirname(require.resolve('keytar/package.json'));
  const { name, version } = JSON.parse(readFileSync(join(module, 'package.json'), 'utf8'));
  // In the project, so that the bundle's paths, which Bun keeps, are the same wherever the project lies.
  mkdirSync(RUNTIMES, { recursive: true });
  const made = mkdtempSync(join(RUNTIMES, 'build-'));
  try {
    const native = readFileSync(join(module, 'prebuilds', prebuild, 'keytar.node'));
    const isUsable = machineOf(native) === target.replace('-musl', '');
    if (isUsable === WITHOUT_KEYTAR.includes(target))
      throw new Error(`keytar's native part for ${target} is for ${machineOf(native)}: see WITHOUT_KEYTAR`);
    await bundleExecutable(join(made, 'bundle'), isUsable, otherKeytar !== undefined);
    if (otherKeytar) copyFileSync(otherKeytar, join(made, 'bundle', OTHER_KEYTAR));
    else writeFileSync(join(made, 'bundle', KEYTAR), isUsable ? native : '');
    const closed = otherKeytar ? runtimeOf(runtime) : writeClosed(runtimeOf(runtime), join(made, 'runtime'));
    const file = target.startsWith('windows') ? 'gwtoken.exe' : 'gwtoken';
    const bun = `--target=bun-${target}`;
    if (target.startsWith('windows')) nameForWindows(closed);
    execFileSync(
      runtimeOf(packagesOf(ownTarget())[0]),
      [
        'build',
        ...COMPILE,
        bun,
        `--compile-executable-path=${closed}`,
        'bundle/executable.cjs',
        `--outfile=${file}`,
      ],
      { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    if (target.startsWith('darwin')) {
      const signed = signAdHoc(readFileSync(join(made, file)), 'gwtoken');
      verifySignature(signed);
      writeFileSync(join(made, file), signed);
    }
    mkdirSync(folder, { recursive: true });
    // In one step: the one before may be running.
    renameSync(join(made, file), join(folder, file));
    appendFileSync(
      join(made, 'bundle', NOTICES),
      notices(`${name} ${version} (MIT)`, readFileSync(join(module, 'LICENSE.md'), 'utf8')) +
        notices(`bun ${BUN.version} (MIT, with parts under LGPL-2.0)`, OF_BUN),
    );
    renameSync(join(made, 'bundle', NOTICES), join(folder, NOTICES));
    return join(folder, file);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * What Bun compiles: `executable.cjs`, and the files that it requires. In files, as the npm package has it: in one, the
 * modules of Node that any part needs would be loaded at every start, which takes longer than all the rest.
 * @param {string} folder
 * @param {boolean} hasKeytar
 * @param {boolean} [hasOtherKeytar]
 */
export function bundleExecutable(folder, hasKeytar, hasOtherKeytar = false) {
  return bundle(folder, {
    input: { ...ENTRIES, executable: 'bin/gwtoken-executable.ts' },
    define: { __EXECUTABLE__: 'true', __KEYTAR__: String(hasKeytar) },
    external: [/^keytar$/, /^keytar\/package\.json$/],
    plugins: [ofTheExecutable(hasOtherKeytar)],
    codeSplitting: { groups: [{ name: 'form', test: /system[\\/]form\.ts$/, priority: 4 }, ...GROUPS] },
  });
}

/**
 * keytar's native part from beside the bundle, or the tests' module in the place of what loads it. The programs, which
 * export nothing, are marked as modules: where another file imports them, rolldown takes them for CommonJS, and then
 * each module of the quick path for one that has to be started by a call.
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
    Object.values(ENTRIES).includes(relative(root, id).replaceAll('\\', '/'))
      ? `${code}\nexport {};`
      : undefined,
});

/**
 * Bun for a platform, which is also what compiles on this one: its package from the registry, at the version and with
 * the integrity of bun.json. `npm view @oven/bun-linux-x64@VERSION dist.integrity` tells those of another version.
 * @param {string} name
 */
function runtimeOf(name) {
  const file = name.includes('windows') ? 'bun.exe' : 'bun';
  const folder = join(RUNTIMES, `${name.replace('/', '-')}-${BUN.version}`);
  if (existsSync(folder)) return join(folder, 'bin', file);
  mkdirSync(RUNTIMES, { recursive: true });
  const made = mkdtempSync(join(RUNTIMES, 'fetch-'));
  try {
    console.log(`> fetching ${name} ${BUN.version}`);
    const windows = process.platform === 'win32';
    /** @type {import('node:child_process').ExecFileSyncOptionsWithStringEncoding} */
    const options = { cwd: made, encoding: 'utf8', shell: windows };
    const pack = ['pack', '--silent', `${name}@${BUN.version}`];
    const tarball = execFileSync(windows ? 'npm.cmd' : 'npm', pack, options).trim();
    checkIntegrity(name, readFileSync(join(made, tarball)));
    execFileSync('tar', ['-xzf', tarball], options);
    renameSync(join(made, 'package'), folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return join(folder, 'bin', file);
}

/**
 * @param {string} name
 * @param {Buffer} tarball
 * @throws if it is not the package that bun.json means
 */
export function checkIntegrity(name, tarball) {
  const digest = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  if (digest !== BUN.integrity[name])
    throw new Error(`${name} ${BUN.version} is not what bin/build/bun.json says: its integrity is ${digest}`);
}

// Run and not imported: import.meta.main is younger than Node 20.
const started = process.argv[1] === undefined ? '' : realpathSync(process.argv[1]);
if (started === fileURLToPath(import.meta.url)) {
  const all = process.argv.includes('--all');
  const packs = process.argv.includes('--pack');
  // The man page and the completion scripts come from there.
  if (packs) await build(join(root, 'dist'));
  for (const target of all ? Object.keys(TARGETS) : [ownTarget()]) {
    const folder = all ? join(EXECUTABLES, target) : EXECUTABLES;
    console.log(await buildExecutable(target, folder));
    if (packs) pack(target, folder, join(root, 'release'));
  }
  const url = process.env['RELEASE_URL'];
  if (url && packs) writeManifests(join(root, 'release'), url);
}
