/**
 * Starts the program of `gwtoken exec` and `curl` as env(1) does: with all descriptors of the caller, its
 * process group and its terminal. cross-spawn handles `.cmd` files and PATHEXT on Windows.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { GwtokenError, systemCode, usage } from '../../errors';
import type { ChildEnd, ProgramOptions, World } from '../../world';
import { isForeground } from '../terminal/terminal';
import { absoluteDirectories } from './helper-program';
import { fileOnPosix, fileOnWindows, notFound, type Program, startError } from './program-file';
import { escapedWords } from './raw-words';

/** Signals that are passed on to the child. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Signals that a terminal sends to its whole foreground group, including the child. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** Events of a Windows console, which reach every program in it. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

/** Starts a program, which then gets all signals; resolves with its end. */
type Launch = (file: string, args: readonly string[], options: SpawnOptions) => Promise<ChildEnd>;

interface Place extends Pick<World, 'platform' | 'onSignals'> {
  /** The caller's descriptors beyond the standard streams. */
  readonly descriptors: readonly number[];
}

/** Runs a program as {@link World.runProgram} says. */
export async function runProgram(
  { platform, onSignals, descriptors }: Place,
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ChildEnd> {
  const isWindows = platform === 'win32';
  const program = { ...options, command, args, platform };
  let child: ChildProcess | undefined;
  const launch: Launch = (file, words, more) => {
    child = spawn(file, [...words], more);
    const pipe = child.stdio?.[more.stdio?.indexOf('pipe') ?? -1] as Writable | undefined;
    // The pipe is missing if the program did not start. Writing fails if it ended without reading.
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
      if (child.pid === undefined || systemCode(error) === 'ENOENT') reject(error);
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
  const { command, args, env: given, text } = program;
  const [place, spare] = text ? freeDigits(descriptors, args) : [];
  const env = text ? { ...given, PATH: absoluteDirectories(given) } : given;
  const words = text ? [text.option, `/dev/fd/${place}`, ...args] : args;
  const stdio = stdioFor(descriptors, place);
  const escaped = escapedWords([command, ...words], env);
  const file = fileOnPosix({ ...program, env });
  if (!text && !escaped) return await runFile(file, words, { env, stdio, argv0: command }, launch);
  const { restore, ...plain } = escaped ?? { words: [command, ...words], env, restore: '' };
  const script = restore + (text ? withPipe(place!, spare!) : 'exec "$@"');
  return await launch('/bin/sh', ['-c', script, 'sh', ...plain.words], { env: plain.env, stdio });
}

/** Starts a file as execvp(3) does: a script without a #! line by /bin/sh. */
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

/**
 * Returns the stdio option that passes on the standard streams and these descriptors, and a pipe at `place`.
 */
function stdioFor(descriptors: readonly number[], place: number | undefined) {
  const last = Math.max(2, place ?? 0, ...descriptors);
  return Array.from({ length: last + 1 }, (_, fd) => {
    if (fd === place) return 'pipe';
    return fd <= 2 || descriptors.includes(fd) ? fd : 'ignore';
  });
}

/**
 * Returns two free descriptors of one digit, because dash cannot redirect others. One that an argument names,
 * such as `/dev/fd/3`, stays closed: the program has to fail there, and not to read the text.
 */
function freeDigits(descriptors: readonly number[], args: readonly string[]): readonly number[] {
  const isNamed = (digit: number): boolean => args.some((word) => word.includes(`/fd/${digit}`));
  const free = [3, 4, 5, 6, 7, 8, 9].filter((digit) => !descriptors.includes(digit) && !isNamed(digit));
  if (free.length >= 2) return free;
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
 * Returns the script that lets the program read a text at /dev/fd/PLACE. Node's pipes are sockets, which
 * Linux does not open by such a path. So /bin/sh copies the socket to a pipe and then becomes the program,
 * which gets gwtoken's signals directly. dash and busybox use a here-document (in other shells a file on the
 * disk), bash a process substitution (missing in its POSIX mode), ksh and zsh a pipeline, during which the
 * shell remains.
 */
export function withPipe(place: number, spare: number): string {
  return `case \${BASH_VERSION:+bash}\${KSH_VERSION-}\${ZSH_VERSION-} in
'') exec "$@" ${place}<<END
$(cat <&${place})
END
;;
bash) set +o posix; eval 'exec "$@" ${place}< <(cat <&${place})' ;;
*) exec ${spare}<&0; cat <&${place} ${spare}<&- | exec "$@" ${place}<&0 <&${spare} ${spare}<&-
esac`;
}
