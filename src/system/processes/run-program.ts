/**
 * Starts the program of `gwtoken exec` and `curl` as env(1) does: with all descriptors of the caller, its
 * process group and its terminal. cross-spawn handles `.cmd` files and PATHEXT on Windows.
 */
import type { ChildProcess, SpawnOptions, StdioOptions } from 'node:child_process';
import type { Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { GwtokenError, systemCode, usage } from '../../errors';
import type { ChildEnd, ProgramOptions, World } from '../../world';
import { isForeground } from '../terminal/terminal';
import { absoluteDirectories } from './helper-program';
import { fileOnPosix, fileOnWindows, notFound, type Program, startError } from './program-file';
import { type EscapedWords, escapedWords } from './raw-words';

/** Signals that are passed on to the child. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Signals that a terminal sends to its whole foreground group, including the child. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** Events of a Windows console, which reach every program in it. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

/** Starts a file as the program that gets gwtoken's signals; resolves with its end. */
type Launch = (file: string, args: readonly string[], options: SpawnOptions) => Promise<ChildEnd>;

interface OwnProcess extends Pick<World, 'platform' | 'onSignals'> {
  /** The caller's descriptors beyond the standard streams. */
  readonly descriptors: readonly number[];
}

/** Runs a program as {@link World.runProgram} says. */
export async function runProgram(
  { platform, onSignals, descriptors }: OwnProcess,
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ChildEnd> {
  const isWindows = platform === 'win32';
  const program = { ...options, command, args, platform };
  let child: ChildProcess | undefined;
  const launch: Launch = (file, words, spawnOptions) => {
    child = spawn(file, [...words], spawnOptions);
    // The only stream is the text's pipe. It is missing if the program did not start.
    const pipe = child.stdio?.find(Boolean) as Writable | undefined;
    // Writing fails if the program ended without reading.
    pipe?.on('error', () => {}).end(options.text?.content);
    return endOf(child);
  };
  const release = onSignals(isWindows ? FROM_CONSOLE : [...PASSED_ON, ...FROM_TERMINAL], (signal) => {
    // These signals reach the child without gwtoken.
    if (isWindows || (FROM_TERMINAL.includes(signal) && isForeground(platform))) return;
    child?.kill(signal);
  });
  try {
    options.beforeStart?.();
    return await (isWindows ? runOnWindows(program, launch) : runOnPosix(program, descriptors, launch));
  } catch (error) {
    throw error instanceof GwtokenError ? error : startError(error, program);
  } finally {
    release();
  }
}

function endOf(child: ChildProcess): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    // Ignores errors of a running child, such as a signal that sudo does not allow.
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error);
    });
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Starts a program with all descriptors of the caller, through /bin/sh if it needs a text or raw bytes. */
async function runOnPosix(
  program: Program,
  descriptors: readonly number[],
  launch: Launch,
): Promise<ChildEnd> {
  const { command, args, env, text } = program;
  if (text) return await runWithText(program, text.option, descriptors, launch);
  const escaped = escapedWords([command, ...args], env);
  const file = fileOnPosix(program);
  const stdio = stdioFor(descriptors);
  if (escaped) return await runByShell('exec "$@"', escaped, stdio, launch);
  return await runFile(file, args, { env, stdio, argv0: command }, launch);
}

/** Starts a program whose option makes it read its text at `/dev/fd/N`, through pipeScript(). */
async function runWithText(
  program: Program,
  option: string,
  descriptors: readonly number[],
  launch: Launch,
): Promise<ChildEnd> {
  const { command, args } = program;
  const [textFd, spareFd] = twoFreeDigits(descriptors, args);
  const env = { ...program.env, PATH: absoluteDirectories(program.env) };
  const words = [command, option, `/dev/fd/${textFd}`, ...args];
  const escaped = escapedWords(words, env) ?? { words, env, restore: '' };
  // sh looks for the file again, but would report a missing one in its own words.
  fileOnPosix({ ...program, env });
  return await runByShell(pipeScript(textFd, spareFd), escaped, stdioFor(descriptors, textFd), launch);
}

/** Runs a script of sh with these words as its arguments, once their bytes are restored. */
function runByShell(
  script: string,
  { words, env, restore }: EscapedWords,
  stdio: StdioOptions,
  launch: Launch,
): Promise<ChildEnd> {
  return launch('/bin/sh', ['-c', restore + script, 'sh', ...words], { env, stdio });
}

/** Starts a file as execvp(3) and Node do, and Bun does not: a script without a #! line by /bin/sh. */
async function runFile(
  file: string,
  args: readonly string[],
  options: SpawnOptions,
  launch: Launch,
): Promise<ChildEnd> {
  try {
    return await launch(file, args, options);
  } catch (error) {
    if (systemCode(error) !== 'ENOEXEC') throw error;
    const { env, stdio } = options;
    return await launch('/bin/sh', [file, ...args], { env, stdio });
  }
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
  throw usage('too few free descriptors between 3 and 9 to pass the token', 'close two of them: 8>&- 9>&-');
}

function runOnWindows(program: Program, launch: Launch): Promise<ChildEnd> {
  const { command, args, env, text } = program;
  if (text) {
    const words = [text.option, '-', ...args];
    return launch(fileOnWindows(program), words, { env, stdio: ['pipe', 'inherit', 'inherit'] });
  }
  const options: SpawnOptions = { stdio: 'inherit', env };
  // Without a file, cross-spawn would run the word as a built-in of cmd.exe with mangled arguments, and
  // report a failure of the built-in as a missing command.
  if (!spawn._parse(command, [...args], options).file) throw notFound(program);
  return launch(command, args, options);
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
