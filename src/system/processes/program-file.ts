/** Finds the file of a program, and says in words why a program does not start. */
import * as fs from 'node:fs';
import { delimiter } from 'node:path';
import { GwtokenError, type Hints, orUndefined } from '../../errors';
import { variableName } from '../../surroundings';
import { systemCode, wordsFor } from '../../system-errors';
import { quoted } from '../../text';
import type { ProgramOptions, World } from '../../world';
import { absoluteDirectories } from './helper-program';

/** A program to start. */
export interface Program extends ProgramOptions, Pick<World, 'platform'> {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the path of a program in PATH. As in shells, directories that cannot be searched are skipped, and a
 * file that is not executable is returned only if there is no other, so that the system says what is wrong.
 * On Windows, and for a program that gwtoken chose, only absolute directories count.
 */
export function programFile(program: Program): string {
  const { command, env, isOurs, platform } = program;
  const isWindows = platform === 'win32';
  if (command.includes('/') && !isWindows) return command;
  const variable = (key: string): string | undefined =>
    Object.entries(env).find(([name]) => variableName(name, platform) === key)?.[1];
  const PATH = variable('PATH') ?? '/usr/bin:/bin';
  const directories = (isWindows || isOurs ? absoluteDirectories({ PATH }) : PATH).split(delimiter);
  const endings = isWindows ? (variable('PATHEXT') ?? '.EXE;.CMD').split(';') : [''];
  const files = directories
    .flatMap((directory) => endings.map((ending) => `${directory || '.'}/${command}${ending}`))
    .filter((path) => orUndefined(() => fs.statSync(path).isFile()));
  const found = files.find(isExecutable) ?? files[0];
  if (found === undefined) throw notFound(program);
  return found;
}

function isExecutable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function notFound(program: Program): GwtokenError {
  return new GwtokenError(
    'not-found',
    `command not found: ${shown(program.command)}`,
    notFoundHints(program),
  );
}

function notFoundHints({ command, isOurs, platform }: Program): Hints {
  if (isOurs) return ['install it, or add its directory to PATH'];
  if (/^\w+=/.test(command)) return ['to set a variable, run: gwtoken exec -- env NAME=VALUE COMMAND'];
  const shell = platform === 'win32' ? 'cmd /d /c …' : "sh -c '…'";
  return ['check the spelling and PATH', `for a shell's built-in or line, run: gwtoken exec -- ${shell}`];
}

export function startError(error: unknown, program: Program): GwtokenError {
  const { command, platform } = program;
  const isMissing = systemCode(error) === 'ENOENT';
  if (isMissing && platform === 'win32') return notFound(program);
  const kind = isMissing ? 'not-found' : 'not-runnable';
  return new GwtokenError(kind, `cannot run ${shown(command)}: ${wordsFor(error)}`);
}

/** Quotes a command, without the value of a `NAME=VALUE`, which may be a secret. */
function shown(command: string): string {
  return quoted(command.replace(/^(\w+=).*/s, '$1…'));
}
