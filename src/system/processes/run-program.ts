/**
 * The program of `gwtoken exec` and `curl`, with gwtoken's own streams, process group and terminal: Ctrl-C,
 * Ctrl-Z and full-screen programs work as without it. cross-spawn is for Windows' `.cmd` and PATHEXT.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { failure, GwtokenError, messageOf, systemCode } from '../../errors';
import { quoted } from '../../text';
import type { ChildEnd, ProgramOptions, World } from '../../world';
import { isForeground } from '../terminal/terminal';
import { absoluteDirectories } from './helper-program';

/** Meant for the child. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Sent by a terminal to its whole foreground group, including the child. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** A console's events on Windows, which reach every program in the console. */
const FROM_CONSOLE: readonly NodeJS.Signals[] = ['SIGINT', 'SIGBREAK', 'SIGHUP'];

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly isWindows: boolean;
}

/** Runs a program as {@link World.runProgram} says. */
export async function runProgram(
  { platform, onSignals }: Pick<World, 'platform' | 'onSignals'>,
  command: string,
  args: readonly string[],
  { env: given, text, beforeStart }: ProgramOptions,
): Promise<ChildEnd> {
  const isWindows = platform === 'win32';
  const program = { command, args, env: { ...given }, isWindows };
  let child: ChildProcess | undefined;
  const release = onSignals(isWindows ? FROM_CONSOLE : [...PASSED_ON, ...FROM_TERMINAL], (signal) => {
    // These reach the child by themselves.
    if (isWindows || (FROM_TERMINAL.includes(signal) && isForeground(platform))) return;
    child?.kill(signal);
  });
  try {
    beforeStart?.();
    child = text === undefined ? start(program) : startWithText(text, program);
    const end = await endOf(child);
    // The shell of startWithText answers with this code if there is no such program.
    if (end.code === 127 && text !== undefined) throw notFound(command);
    return end;
  } catch (error) {
    throw error instanceof GwtokenError ? error : startError(error, command, isWindows);
  } finally {
    release();
  }
}

function endOf(child: ChildProcess): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    // Errors of a running child, such as a signal that may not be sent to it (sudo), do not matter.
    child.on('error', (error) => {
      if (child.pid === undefined || systemCode(error) === 'ENOENT') reject(error);
    });
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
}

function start({ command, args, env, isWindows }: Program): ChildProcess {
  const options: SpawnOptions = { stdio: 'inherit', env };
  // If it finds no file, cross-spawn runs the word in cmd.exe, as a built-in with mangled arguments, and
  // takes its failure for a missing command.
  if (isWindows && !spawn._parse(command, [...args], options).file) throw notFound(command, 'cmd /d /c …');
  return spawn(command, [...args], options);
}

/**
 * Node's own pipes are sockets, which Linux does not open by /dev/fd/3. So /bin/sh makes a pipe of one, and
 * then becomes the program, which so gets gwtoken's signals. dash and busybox: by a here-document, in others
 * a file on the disk. bash: by a process substitution, which its POSIX mode lacks. ksh and zsh: by a
 * pipeline, behind which the shell stays.
 */
export const WITH_PIPE = `command -v "$1" >/dev/null || exit 127
case \${BASH_VERSION:+bash}\${KSH_VERSION-}\${ZSH_VERSION-} in
'') exec "$@" 3<<END
$(cat <&3)
END
;;
bash) set +o posix; eval 'exec "$@" 3< <(cat <&3)' ;;
*) exec 4<&0; cat <&3 4<&- | exec "$@" 3<&0 <&4 4<&-
esac`;

/** Starts a program that can read the text: on Windows from stdin, elsewhere from a pipe at descriptor 3. */
function startWithText(text: string, { command, args, env, isWindows }: Program): ChildProcess {
  const child = isWindows
    ? spawn(pathOfProgram(command, env), [...args], { env, stdio: ['pipe', 'inherit', 'inherit'] })
    : spawn('/bin/sh', ['-c', WITH_PIPE, 'sh', command, ...args], {
        env: { ...env, PATH: absoluteDirectories(env) },
        stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      });
  // There is none if the program could not be started; it fails if that has ended without reading.
  const pipe = child.stdio?.[isWindows ? 0 : 3] as Writable | undefined;
  pipe?.on('error', () => {}).end(text);
  return child;
}

/** Returns the path of a program, found in PATH only: Windows would begin with the working directory. */
function pathOfProgram(command: string, env: NodeJS.ProcessEnv): string {
  const variable = (key: string) => Object.entries(env).find(([name]) => name.toUpperCase() === key)?.[1];
  const endings = (variable('PATHEXT') ?? '.EXE;.CMD').split(';');
  const directories = absoluteDirectories({ PATH: variable('PATH') }).split(delimiter);
  const files = directories.flatMap((path) => endings.map((ending) => join(path, command + ending)));
  const found = files.find((file) => fs.existsSync(file));
  if (found === undefined) throw notFound(command);
  return found;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'has a #! line with an interpreter that does not exist',
  EACCES: 'is not executable',
  E2BIG: 'has too many or too long arguments and variables',
};

function startError(error: unknown, command: string, isWindows: boolean): GwtokenError {
  const code = systemCode(error) ?? messageOf(error);
  const isThere = /[\\/]/.test(command) && fs.existsSync(command);
  if (code === 'ENOENT' && !isThere) return notFound(command, isWindows ? 'cmd /d /c …' : "sh -c '…'");
  const problem = PROBLEMS[code] ?? `was rejected by the system (${code})`;
  return failure('not-runnable', `cannot run ${shown(command)}: it ${problem}`);
}

/** @param shell runs what is no program; undefined for a command of gwtoken's own choice */
function notFound(command: string, shell?: string): GwtokenError {
  const typed = `check the spelling and PATH; for a shell's built-in or line, run: gwtoken exec -- ${shell}`;
  const hint = shell === undefined ? 'install it, or add its directory to PATH' : typed;
  return failure('not-found', `command not found: ${shown(command)}`, hint);
}

/** Quotes a command. A variable that was meant for it may be a secret. */
function shown(command: string): string {
  return quoted(command.replace(/^(\w+=).*/s, '$1…'));
}
