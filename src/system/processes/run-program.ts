/**
 * Starts the program of `gwtoken exec` and `curl` as env(1) does: with all descriptors of the caller, its
 * process group and its terminal. cross-spawn handles `.cmd` files and PATHEXT on Windows.
 */
import type { ChildProcess, SpawnOptions, StdioOptions } from 'node:child_process';
import type { Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { GwtokenError, usage } from '../../errors';
import { systemCode } from '../../system-errors';
import type { ChildEnd, ProgramOptions, TextOption, World } from '../../world';
import { isForeground } from '../terminal/terminal';
import { absoluteDirectories } from './helper-program';
import { fileOnPosix, fileOnWindows, notFound, type Program, startError } from './program-file';
import { assertUtf8 } from './utf8';

/** Signals that are passed on to the child. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Signals that a terminal sends to its whole foreground group, including the child. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** Events of a Windows console, which reach every program in it. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

interface OwnProcess extends Pick<World, 'platform' | 'onSignals'> {
  readonly pid: number;
  /** The caller's descriptors beyond the standard streams. */
  readonly descriptors: readonly number[];
}

/** The arguments of spawn(). */
interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/** Runs a program as {@link World.runProgram} says. */
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
    const start = own.platform === 'win32' ? startOnWindows(program) : startOnPosix(program, own.descriptors);
    return await run(start).catch((error: unknown) => run(byShell(start, error)));
  } catch (error) {
    throw error instanceof GwtokenError ? error : startError(error, program);
  }
}

/**
 * Passes on signals that do not reach the child by themselves. gwtoken survives them until its own end: on
 * Windows, a Ctrl-C may arrive after the child has ended by it, before gwtoken has removed its token file.
 */
function passSignals({ platform, pid, onSignals }: OwnProcess, pass: (signal: NodeJS.Signals) => void): void {
  if (platform === 'win32') return void onSignals(FROM_CONSOLE, () => {});
  onSignals([...PASSED_ON, ...FROM_TERMINAL], (signal) => {
    // Some containers are stopped by a QUIT to their first process alone, even on a terminal. An INT there is
    // its Ctrl-C, which the child must not get twice: terraform, for one, ends by force at the second.
    const isStop = pid === 1 && signal === 'SIGQUIT';
    const isForGroup = FROM_TERMINAL.includes(signal) && !isStop && isForeground(platform);
    if (!isForGroup) pass(signal);
  });
}

/** Writes the text to the child, if there is one. Resolves with the child's end. */
function endOf(child: ChildProcess, text?: string): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    // Ignores errors of a running child, such as a signal that sudo does not allow.
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error);
    });
    child.on('exit', (code, signal) => resolve({ code, signal }));
    // The only stream is the text's pipe. It is missing if the program did not start.
    const pipe = child.stdio?.find(Boolean) as Writable | undefined;
    // Writing fails if the program ended without reading.
    pipe?.on('error', () => {}).end(text);
  });
}

function startOnPosix(program: Program, descriptors: readonly number[]): Start {
  const { command, args, env, text } = program;
  assertUtf8([command, ...args], env);
  if (text) return startWithText(program, text, descriptors);
  return { file: fileOnPosix(program), args, options: { env, stdio: stdioFor(descriptors), argv0: command } };
}

/**
 * Returns the start by /bin/sh of a script without a #! line. execvp(3) and Node do this by themselves, but
 * Bun does not. Throws any other error.
 */
function byShell({ file, args, options: { env, stdio } }: Start, error: unknown): Start {
  if (systemCode(error) !== 'ENOEXEC') throw error;
  return { file: '/bin/sh', args: [file, ...args], options: { env, stdio } };
}

/** Returns the start of a program whose option makes it read its text at `/dev/fd/N`, by pipeScript(). */
function startWithText(program: Program, { option, at }: TextOption, descriptors: readonly number[]): Start {
  const { command, args } = program;
  const [textFd, spareFd] = twoFreeDigits(descriptors, args);
  const env = { ...program.env, PATH: absoluteDirectories(program.env) };
  // sh looks for the file again, but would report a missing one in its own words.
  fileOnPosix({ ...program, env });
  const words = [command, ...args.toSpliced(at, 0, option, `/dev/fd/${textFd}`)];
  const script = ['-c', pipeScript(textFd, spareFd), 'sh', ...words];
  return { file: '/bin/sh', args: script, options: { env, stdio: stdioFor(descriptors, textFd) } };
}

/** Returns the stdio option that passes on the standard streams and these descriptors, and opens a pipe. */
function stdioFor(descriptors: readonly number[], pipe?: number): StdioOptions {
  const last = Math.max(2, pipe ?? 0, ...descriptors);
  return Array.from({ length: last + 1 }, (_, fd) => {
    if (fd === pipe) return 'pipe';
    return fd <= 2 || descriptors.includes(fd) ? fd : 'ignore';
  });
}

/**
 * Returns two free descriptors of one digit, because dash cannot redirect others. One that an argument names,
 * such as `/dev/fd/3`, stays closed: the program has to fail there, and not to read the text.
 */
function twoFreeDigits(descriptors: readonly number[], args: readonly string[]): readonly [number, number] {
  const isNamed = (digit: number): boolean => args.some((word) => word.includes(`/fd/${digit}`));
  const isFree = (digit: number): boolean => !descriptors.includes(digit) && !isNamed(digit);
  const [first, second] = [3, 4, 5, 6, 7, 8, 9].filter(isFree);
  if (first !== undefined && second !== undefined) return [first, second];
  throw usage('too few free descriptors between 3 and 9 to pass the token', ['close two of them: 8>&- 9>&-']);
}

function startOnWindows(program: Program): Start {
  const { command, args, env, text } = program;
  if (text) {
    const options: SpawnOptions = { env, stdio: ['pipe', 'inherit', 'inherit'] };
    return { file: fileOnWindows(program), args: args.toSpliced(text.at, 0, text.option, '-'), options };
  }
  const options: SpawnOptions = { env, stdio: 'inherit' };
  // Without a file, cross-spawn would run the word as a built-in of cmd.exe with mangled arguments, and
  // report a failure of the built-in as a missing command.
  if (!spawn._parse(command, [...args], options).file) throw notFound(program);
  return { file: command, args, options };
}

/**
 * Returns the script that lets the program read a text at /dev/fd/N. Node's pipes are sockets, which Linux
 * does not open by such a path. So /bin/sh copies the socket to a pipe and then becomes the program, which
 * gets gwtoken's signals directly. dash and busybox use a here-document (in other shells a file on the disk),
 * bash a process substitution (missing in its POSIX mode), ksh and zsh a pipeline, during which the shell
 * remains.
 *
 * @param textFd descriptor of the socket, and then of the pipe
 * @param spareFd free descriptor, which keeps stdin while the pipeline uses it
 */
export function pipeScript(textFd: number, spareFd: number): string {
  return `case \${BASH_VERSION:+bash}\${KSH_VERSION-}\${ZSH_VERSION-} in
'') exec "$@" ${textFd}<<END
$(cat <&${textFd})
END
;;
bash) set +o posix; eval 'exec "$@" ${textFd}< <(cat <&${textFd})' ;;
*) exec ${spareFd}<&0; cat <&${textFd} ${spareFd}<&- | exec "$@" ${textFd}<&0 <&${spareFd} ${spareFd}<&-
esac`;
}
