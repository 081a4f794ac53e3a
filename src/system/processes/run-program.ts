/**
 * Starts the program of `gwtoken exec` and `curl` as env(1) does: in the same process group, on the same
 * terminal. cross-spawn handles `.cmd` files and PATHEXT on Windows.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import spawn from 'cross-spawn';
import { GwtokenError } from '../../errors';
import { systemCode } from '../../system-errors';
import type { ChildEnd, ProgramOptions, World } from '../../world';
import { isForeground } from '../terminal/job';
import { passedDescriptors, unnamedFile } from './descriptors';
import { notFound, type Program, programFile, startError } from './program-file';
import { assertUtf8 } from './utf8';

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Signals that a terminal sends to its whole foreground group, including the child. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** Events of a Windows console, which reach every program in it. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

type OwnProcess = Pick<World, 'platform' | 'onSignals'>;

/** The arguments of spawn(). */
interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

export async function runProgram(
  own: OwnProcess,
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ChildEnd> {
  const program = { ...options, command, args, platform: own.platform };
  let child: ChildProcess | undefined;
  // Async, because spawn() of Bun throws for a file that it cannot start.
  const run = async (start: Start): Promise<ChildEnd> => {
    child = spawn(start.file, [...start.args], start.options);
    return await endOf(child, options.text?.content);
  };
  passSignals(own, (signal) => child?.kill(signal));
  try {
    options.beforeStart?.();
    const start = own.platform === 'win32' ? startOnWindows(program) : startOnPosix(program);
    return await run(start).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOEXEC') throw error;
      return run(byShell(start));
    });
  } catch (error) {
    throw error instanceof GwtokenError ? error : startError(error, program);
  }
}

/**
 * Passes on signals that do not reach the child by themselves. gwtoken survives them until its own end: on
 * Windows, a Ctrl-C may arrive after the child has ended by it, before gwtoken has removed its token file.
 */
function passSignals({ platform, onSignals }: OwnProcess, pass: (signal: NodeJS.Signals) => void): void {
  if (platform === 'win32') return void onSignals(FROM_CONSOLE, () => {});
  onSignals([...PASSED_ON, ...FROM_TERMINAL], (signal) => {
    // The child must not get a Ctrl-C twice: terraform, for one, ends by force at the second.
    const isForGroup = FROM_TERMINAL.includes(signal) && isForeground(platform);
    if (!isForGroup) pass(signal);
  });
}

/** Resolves with the child's end. On Windows the child reads its text from stdin. */
function endOf(child: ChildProcess, text?: string): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    // Ignores errors of a running child, such as a signal that sudo does not allow.
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error);
    });
    child.on('exit', (code, signal) => resolve({ code, signal }));
    // Writing fails if the program ended without reading.
    child.stdin?.on('error', () => {}).end(text);
  });
}

function startOnPosix(program: Program): Start {
  const { command, args, env, text } = program;
  assertUtf8([command, ...args], env);
  const file = programFile(program);
  const stdio = passedDescriptors([command, ...args]);
  const options = { env, stdio, argv0: command };
  if (!text) return { file, args, options };
  const fd = stdio.push(unnamedFile(text.content, env)) - 1;
  return { file, args: [text.option, `/dev/fd/${fd}`, ...args], options };
}

/**
 * Returns the start by /bin/sh of a script without a #! line. execvp(3) and Node do this by themselves, but
 * Bun does not.
 */
function byShell({ file, args, options: { env, stdio } }: Start): Start {
  return { file: '/bin/sh', args: [file, ...args], options: { env, stdio } };
}

function startOnWindows(program: Program): Start {
  const { command, args, env, text } = program;
  if (text) {
    const options: SpawnOptions = { env, stdio: ['pipe', 'inherit', 'inherit'] };
    return { file: programFile(program), args: [text.option, '-', ...args], options };
  }
  const options: SpawnOptions = { env, stdio: 'inherit' };
  // Without a file, cross-spawn would run the word as a built-in of cmd.exe with mangled arguments, and
  // report a failure of the built-in as a missing command.
  if (!spawn._parse(command, [...args], options).file) throw notFound(program);
  return { file: command, args, options };
}
