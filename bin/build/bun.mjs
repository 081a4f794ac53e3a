// Fetches the pinned version of Bun, removes forbidden texts from its runtime, and compiles with it.
import { execFileSync, execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './package.mjs';
import { makeStrippable } from './strippable.mjs';

/** Lies in the project, so that the bundle's paths, which Bun stores, are the same on each machine. */
export const BUN_FOLDER = join(ROOT, 'node_modules', '.cache', 'bun');
/** @type {{ version: string, integrity: Record<string, string> }} */
export const BUN = JSON.parse(readFileSync(new URL('bun.json', import.meta.url), 'utf8'));

/**
 * Bytecode saves parsing at each start. The other flags stop Bun from reading files in the current
 * directory, which may be a stranger's: an `.env` could set GWTOKEN_* variables, a bunfig.toml run a script.
 */
const COMPILE = [
  '--compile',
  '--bytecode',
  '--format=cjs',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
  // gwtoken is too short to profit from a JIT: without it a warm get takes 6 % less time, --help 13 %.
  '--compile-jit-policy=1000',
];

/**
 * Forbidden texts of the runtime, each with a replacement of the same length. No variable can have a name with
 * a `=`.
 */
export const REPLACED = {
  // Turns the program into Bun's command line.
  BUN_BE_BUN: 'BUN=BE=BUN',
  // Loads scripts.
  BUN_OPTIONS: 'BUN=OPTIONS',
  // Opens a debugger.
  BUN_INSPECT: 'BUN=INSPECT',
  // Bun compiles these two into the program, and a value with a tab or CR ends it before the first line.
  // Therefore the replacements have to be identifiers.
  NODE_ENV: 'NO__ENV_',
  BUN_ENV: 'BU__ENV',
  // After a crash on macOS and Windows the runtime sends a report there, against the promise "no telemetry".
  // The replacement is not an address; the printed line belongs in a bug report.
  'https://bun.report': 'report to gwtoken:',
};

/** Returns the platform of this machine. */
export function ownTarget() {
  const { platform, arch, report } = process;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (report.getReport());
  const libc = platform === 'linux' && header.glibcVersionRuntime === undefined ? '-musl' : '';
  return `${platform.replace('win32', 'windows')}-${arch}${libc}`;
}

/**
 * Compiles `bundle/executable.cjs` of a directory into `file` there.
 * @param {string} target
 * @param {string} directory
 * @param {string} file
 * @param {Readonly<Record<string, string>>} replaced the texts of the runtime that are replaced
 */
export function compile(target, directory, file, replaced) {
  const runtime = readFileSync(fetchBun(target));
  replaceTexts(runtime, replaced);
  writeFileSync(join(directory, 'runtime'), runtime, { mode: 0o755 });
  const paths = ['--compile-executable-path=runtime', 'bundle/executable.cjs', `--outfile=${file}`];
  const args = ['build', ...COMPILE, `--target=bun-${target}`, ...paths];
  execFileSync(fetchBun(ownTarget()), args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  if (target.startsWith('linux')) makeStrippable(join(directory, file));
}

/** @param {Buffer} runtime @param {Readonly<Record<string, string>>} replaced */
function replaceTexts(runtime, replaced) {
  for (const [text, replacement] of Object.entries(replaced)) {
    let at = runtime.indexOf(text);
    if (at < 0) throw new Error(`this version of Bun has no ${text}: find out what it has instead`);
    for (; at >= 0; at = runtime.indexOf(text, at)) runtime.write(replacement, at, 'latin1');
  }
}

/**
 * Returns the path of Bun for a platform, from its package in the registry, at the version and with the
 * integrity of bun.json. For another version: `npm view @oven/bun-linux-x64@VERSION dist.integrity`.
 * @param {string} target
 */
export function fetchBun(target) {
  const name = `@oven/bun-${target.replace('arm64', 'aarch64')}`;
  const directory = join(BUN_FOLDER, `${name.replace('/', '-')}-${BUN.version}`);
  const program = join(directory, 'bin', target.startsWith('windows') ? 'bun.exe' : 'bun');
  if (existsSync(directory)) return program;
  mkdirSync(BUN_FOLDER, { recursive: true });
  const scratch = mkdtempSync(join(BUN_FOLDER, 'fetch-'));
  try {
    console.log(`> fetching ${name} ${BUN.version}`);
    const tarball = execSync(`npm pack --silent ${name}@${BUN.version}`, {
      cwd: scratch,
      encoding: 'utf8',
    }).trim();
    const input = checked(name, readFileSync(join(scratch, tarball)));
    execFileSync('tar', ['-xzf', '-'], { cwd: scratch, input });
    renameSync(join(scratch, 'package'), directory);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return program;
}

/**
 * Returns the bytes of a tarball.
 * @param {string} name @param {Buffer} tarball @throws if its integrity differs from bun.json
 */
export function checked(name, tarball) {
  const digest = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  if (digest !== BUN.integrity[name])
    throw new Error(`${name} ${BUN.version} is not what bin/build/bun.json says: its integrity is ${digest}`);
  return tarball;
}
