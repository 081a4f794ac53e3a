import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../root';

/** The built program; `npm run build` must have made dist/. */
export const PROGRAM = join(ROOT, 'dist', 'gwtoken.cjs');
/** Which of the program's two forms is tested: test/vitest.config.ts runs the program's tests with each. */
export const FORM = process.env['TESTED_FORM'] === 'executable' ? 'executable' : 'package';
/** The standalone executable; that of `any-keytar` has the module that KEYTAR names in keytar's place. */
export const executable = (folder = '.'): string =>
  join(ROOT, 'executables', folder, process.platform === 'win32' ? 'gwtoken.exe' : 'gwtoken');
/** The words that start gwtoken. Whatever starts it, a terminal or a wrapper, has them from here. */
export const GWTOKEN: Words = FORM === 'executable' ? [executable()] : [process.execPath, PROGRAM];
/** The same for a line of shell. */
export const GWTOKEN_SH = GWTOKEN.map((word) => `'${word}'`).join(' ');

export type Words = readonly [command: string, ...before: string[]];

export interface ProgramOptions {
  /** The whole environment but for PATH: nothing of the developer's own gets in. */
  readonly env: Readonly<Record<string, string>>;
  /** Written and then closed; empty if left out. */
  readonly stdin?: string | Buffer;
  readonly cwd?: string;
  /** 30,000 if left out. A program that is still running then is killed, and the promise rejects. */
  readonly timeoutMs?: number;
  /** What starts it, such as setpriv(1) with its arguments; what it is to start comes behind. */
  readonly wrapper?: readonly string[];
  /** Other words than {@link GWTOKEN}: a copy's, or another Node's. */
  readonly program?: Words;
  /** In a session of its own, so without the terminal that the tests may have been started from. */
  readonly detached?: boolean;
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunningProgram {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly result: Promise<ProgramResult>;
}

/** Runs gwtoken to its end. */
export function runProgram(args: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  return startProgram(args, options).result;
}

/** Starts gwtoken, for a test that sends it a signal or does something meanwhile. */
export function startProgram(args: readonly string[], options: ProgramOptions): RunningProgram {
  const started = performance.now();
  const words = [...(options.wrapper ?? []), ...(options.program ?? GWTOKEN), ...args];
  const child = spawn(words[0]!, words.slice(1), {
    env: { ...inherited(), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: options.detached ?? false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  // A program that does not read its stdin is free to: EPIPE here is no failure.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');

  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));

  const result = new Promise<ProgramResult>((resolve, reject) => {
    const timeoutMs = options.timeoutMs ?? 30_000;
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open for ever: we do not wait for 'close'.
      child.stdout.destroy();
      child.stderr.destroy();
      const seen = `stdout: ${Buffer.concat(stdout)}\nstderr: ${Buffer.concat(stderr)}`;
      reject(new Error(`gwtoken ${args.join(' ')}: still running after ${timeoutMs} ms\n${seen}`));
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
        ms: performance.now() - started,
      });
    });
  });
  return { pid: child.pid ?? -1, kill: (signal) => void child.kill(signal), result };
}

/** What a program cannot be started without: PATH, and on Windows the system's folder, which sockets need. */
export function inherited(): Record<string, string> {
  const names = process.platform === 'win32' ? ['PATH', 'SystemRoot', 'PATHEXT', 'ComSpec'] : ['PATH'];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

export interface Home {
  readonly dir: string;
  readonly env: { readonly HOME: string; readonly XDG_CONFIG_HOME: string; readonly XDG_CACHE_HOME: string };
  remove(): void;
}

/** An empty home in a temporary folder; the XDG folders are named but not made. */
export function freshHome(): Home {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gwtoken-home-')));
  const home = join(dir, 'home');
  mkdirSync(home, { mode: 0o700 });
  return {
    dir,
    env: { HOME: home, XDG_CONFIG_HOME: join(dir, 'config'), XDG_CACHE_HOME: join(dir, 'cache') },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Every regular file below a folder, by its path relative to it with `/` between; links are not followed. */
export function filesBelow(dir: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(dir, path).replaceAll('\\', '/'), readFileSync(path));
  }
  return files;
}
