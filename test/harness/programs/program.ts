import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onCleanup } from '../clean-up';
import { openDirectory } from '../homes/directory';
import { ROOT } from '../root';

/** The npm package's program, which `npm run build` must have built. */
export const PROGRAM = join(ROOT, 'dist', 'gwtoken.cjs');
/** The tested form of the program. test/vitest.config.ts runs the program's tests with both forms. */
export const FORM = process.env['TESTED_FORM'] === 'executable' ? 'executable' : 'package';
/** Returns the path of the executable. The one in `any-keytar` loads the module in KEYTAR and obeys BUN_OPTIONS. */
export const executable = (directory = '.'): string =>
  join(ROOT, 'executables', directory, process.platform === 'win32' ? 'gwtoken.exe' : 'gwtoken');
/** The words that start each form. */
export const FORMS: Readonly<Record<'package' | 'executable', Words>> = {
  package: [process.execPath, PROGRAM],
  executable: [executable()],
};
/** The words that start the tested form. */
export const GWTOKEN = FORMS[FORM];
const quoted = (words: Words) => words.map((word) => `'${word}'`).join(' ');
/** The same words for a line of a shell. */
export const GWTOKEN_SH = quoted(GWTOKEN);

/** Returns a gwtoken that runs the code `fault` as soon as it handles unhandled rejections. */
export function preloading(fault: string): { readonly program: Words; readonly env: Record<string, string> } {
  const file = join(openDirectory(), 'fault.cjs');
  writeFileSync(
    file,
    `const timer = setInterval(() => {
       if (process.listenerCount('unhandledRejection') === 0) return;
       clearInterval(timer);
       ${fault}
     }, 50);`,
  );
  return FORM === 'executable'
    ? { program: [executable('any-keytar')], env: { BUN_OPTIONS: `--preload=${file}` } }
    : { program: GWTOKEN, env: { NODE_OPTIONS: `--require ${file}` } };
}

export type Words = readonly [command: string, ...before: string[]];

/**
 * Writes a `gwtoken` into a directory, which may be missing. Returns a PATH that starts with the directory.
 *
 * @param program the words that start gwtoken; the executable's start takes a fifth of the package's time
 */
export function linkProgram(directory: string, program: Words = GWTOKEN): string {
  mkdirSync(directory, { recursive: true });
  if (process.platform === 'win32') {
    const words = program.map((word) => `"${word}"`);
    writeFileSync(join(directory, 'gwtoken.cmd'), `@${words.join(' ')} %*\r\n`);
  } else {
    const script = `#!/bin/sh\nexec ${quoted(program)} "$@"\n`;
    writeFileSync(join(directory, 'gwtoken'), script, { mode: 0o755 });
  }
  return [directory, process.env['PATH']].join(delimiter);
}

export interface CommandOptions {
  /** The whole environment except PATH, so that the developer's own variables have no effect. */
  readonly env: Readonly<Record<string, string>>;
  /** The text on stdin; by default empty. */
  readonly stdin?: string | Buffer;
  readonly cwd?: string;
  /** By default 30,000. A program that runs longer is killed, and the promise rejects. */
  readonly timeoutMs?: number;
  /** Runs the command in a shell, as a batch file of Windows needs. */
  readonly shell?: boolean;
  /** Runs the command in a new session, so that it has no terminal even if the tests have one. */
  readonly detached?: boolean;
}

export interface ProgramOptions extends CommandOptions {
  /** A program such as setpriv(1), with its arguments, that starts gwtoken. */
  readonly wrapper?: readonly string[];
  /** Other words than {@link GWTOKEN}: a copy's, or another Node's. */
  readonly program?: Words;
}

export interface ProgramResult {
  /** The exit code; null if a signal ended the program. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunningProgram {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Returns the stderr so far. */
  stderr(): string;
  readonly result: Promise<ProgramResult>;
}

/** Runs gwtoken to its end. */
export function runProgram(args: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  return startProgram(args, options).result;
}

/** Starts gwtoken, for a test that acts or sends a signal while it runs. */
export function startProgram(args: readonly string[], options: ProgramOptions): RunningProgram {
  return startCommand(wordsOf(args, options), options);
}

/** Returns the words of the whole command line. */
export function wordsOf(
  args: readonly string[],
  { wrapper = [], program = GWTOKEN }: Pick<ProgramOptions, 'wrapper' | 'program'>,
): string[] {
  return [...wrapper, ...program, ...args];
}

/** Runs any command, such as a shell whose script calls gwtoken. */
export function runCommand(words: readonly string[], options: CommandOptions): Promise<ProgramResult> {
  return startCommand(words, options).result;
}

/** Starts any command. The end of the test kills it. */
export function startCommand(
  [command = '', ...args]: readonly string[],
  options: CommandOptions,
): RunningProgram {
  const started = performance.now();
  const child = spawn(command, args, {
    env: { ...inherited(), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: options.detached ?? false,
    shell: options.shell ?? false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  onCleanup(() => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'));
  // Ignores EPIPE, because a program may exit without reading its stdin.
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
      // Does not wait for 'close', because a grandchild may hold the pipes open forever.
      child.stdout.destroy();
      child.stderr.destroy();
      const output = `stdout: ${Buffer.concat(stdout)}\nstderr: ${Buffer.concat(stderr)}`;
      reject(new Error(`${[command, ...args].join(' ')}: still running after ${timeoutMs} ms\n${output}`));
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
  return {
    pid: child.pid ?? -1,
    kill: (signal) => void child.kill(signal),
    stderr: () => String(Buffer.concat(stderr)),
    result,
  };
}

/** Variables that every program needs: PATH, and on Windows the system's directory, which sockets need. */
export function inherited(): Record<string, string> {
  const names = process.platform === 'win32' ? ['PATH', 'SystemRoot', 'PATHEXT', 'ComSpec'] : ['PATH'];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}
