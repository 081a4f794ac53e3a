/** Finds the file of a program, and says in words why a program does not start. */
import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Hints } from '../../causes';
import { GwtokenError, orUndefined } from '../../errors';
import { systemCode, wordsFor } from '../../system-errors';
import { quoted } from '../../text';
import type { ProgramOptions, World } from '../../world';
import { absoluteDirectories } from './helper-program';

/** A program to start. The user typed its name, or gwtoken chose it if it gets a text. */
export interface Program extends ProgramOptions, Pick<World, 'platform'> {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the path of a program. As in shells, directories of PATH that cannot be searched are skipped. A
 * file that is not executable is returned only if there is no other, so that the system says what is wrong.
 */
export function fileOnPosix(program: Program): string {
  const { command, env } = program;
  if (command.includes('/')) return command;
  const directories = (env['PATH'] ?? '/usr/bin:/bin').split(':');
  const paths = directories.map((directory) => `${directory || '.'}/${command}`);
  const files = paths.filter((path) => orUndefined(() => fs.statSync(path).isFile()));
  const isExecutable = (path: string) =>
    orUndefined(() => {
      fs.accessSync(path, fs.constants.X_OK);
      return true;
    });
  const found = files.find(isExecutable) ?? files[0];
  if (found === undefined) throw notFound(program);
  return found;
}

/** Returns the path of a program in PATH. Windows itself would prefer the working directory. */
export function fileOnWindows(program: Program): string {
  const { command, env } = program;
  const variable = (key: string) => Object.entries(env).find(([name]) => name.toUpperCase() === key)?.[1];
  const endings = (variable('PATHEXT') ?? '.EXE;.CMD').split(';');
  const directories = absoluteDirectories({ PATH: variable('PATH') }).split(delimiter);
  const files = directories.flatMap((path) => endings.map((ending) => join(path, command + ending)));
  const found = files.find((file) => fs.existsSync(file));
  if (found === undefined) throw notFound(program);
  return found;
}

/** Returns the error for a program without a file. */
export function notFound(program: Program): GwtokenError {
  return new GwtokenError('not-found', `command not found: ${shown(program.command)}`, hintsFor(program));
}

function hintsFor({ command, text, platform }: Program): Hints {
  if (text) return ['install it, or add its directory to PATH'];
  if (/^\w+=/.test(command)) return ['to set a variable, run: gwtoken exec -- env NAME=VALUE COMMAND'];
  const shell = platform === 'win32' ? 'cmd /d /c …' : "sh -c '…'";
  return ['check the spelling and PATH', `for a shell's built-in or line, run: gwtoken exec -- ${shell}`];
}

/** Returns the error for a program that the system did not start. */
export function startError(error: unknown, program: Program): GwtokenError {
  const { command, platform } = program;
  const isMissing = systemCode(error) === 'ENOENT';
  if (isMissing && platform === 'win32') return notFound(program);
  // The file of a name without a slash was found in PATH.
  const hasFile = !command.includes('/') || fs.existsSync(command);
  const problem = isMissing && hasFile ? 'the interpreter of its #! line does not exist' : wordsFor(error);
  return new GwtokenError(
    isMissing ? 'not-found' : 'not-runnable',
    `cannot run ${shown(command)}: ${problem}`,
  );
}

/** Quotes a command, without the value of a `NAME=VALUE`, which may be a secret. */
function shown(command: string): string {
  return quoted(command.replace(/^(\w+=).*/s, '$1…'));
}
