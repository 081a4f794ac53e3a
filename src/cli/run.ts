/** Runs one command line, from its words to its exit code. Every error ends in the `catch` of `run`. */

import { CommanderError } from 'commander';
import { afterFailure, COMMANDS } from '../commands/all';
import { COMPLETE, complete } from '../commands/completion/completion';
import { hintLine } from '../commands/report';
import { strayVariables } from '../commands/stray-variables';
import { GwtokenError } from '../errors';
import { exitCodeFor } from '../exit-codes';
import { Interrupted, ReaderGone } from '../signals';
import { limitReached } from '../system-errors';
import { oneLine } from '../text';
import type { World } from '../world';
import { createProgram, type Execute } from './program';
import { sectionWords, TOPICS } from './topics';

/** Resolves with the exit code; rejects only with Interrupted and ReaderGone, which print nothing. */
export async function run(words: readonly string[], world: World): Promise<number> {
  const argv = SHOW_HELP.includes(words.join(' ')) ? [...words, '--help'] : words;
  let exitCode: number | undefined;
  let verbose = false;
  const trace = (line: string): void => world.stderr.write(`gwtoken: ${oneLine(line)}\n`);
  try {
    if (argv[0] === COMPLETE && argv[1] === '--') {
      const [command, name = '', ...more] = argv.slice(2);
      const sections = command === 'help' && more.length > 0 ? await sectionWords(name) : [];
      complete(argv.slice(2), COMMANDS, { name: Object.keys(TOPICS), section: sections }, world);
      return 0;
    }
    let help = '';
    const stdout = {
      ...world.stdout,
      write(text: string) {
        help += text;
      },
    };
    const execute: Execute = async (command, flags, args) => {
      verbose = flags['verbose'] === true;
      if (verbose) {
        trace(`version ${world.version}, ${world.probes.system()}`);
        for (const { name } of strayVariables(world.env))
          trace(`${name}: gwtoken reads no variable of this name`);
      }
      exitCode = await command.run?.(flags, verbose ? { ...world, trace } : world, ...args);
    };
    const program = createProgram({ ...world, stdout, version: versionText(argv, world) }, execute);
    try {
      await program.parseAsync([...argv], { from: 'user' });
    } catch (error) {
      // commander throws after it has printed help or the version.
      if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    }
    if (help !== '' && world.stdout.isTTY()) await world.terminal.page(help);
    else if (help !== '') world.stdout.write(help);
    return exitCode ?? 0;
  } catch (error) {
    // Also for ReaderGone: the reader that left may be the one of stderr.
    const code = await afterFailure(argv, exitCodeOf(error), world);
    if (error instanceof Interrupted || error instanceof ReaderGone) throw error;
    await report(error, verbose, world);
    return code;
  }
}

/** Command lines that show help instead of an error. */
const SHOW_HELP = ['', 'config', 'completion'];

/** Returns the version; with `--verbose` also the form of the program. */
function versionText(argv: readonly string[], { version, probes }: World): string {
  const end = argv.indexOf('--');
  const isVerbose = argv.slice(0, end < 0 ? undefined : end).some((word) => /^(-v|--verbose)$/.test(word));
  return isVerbose ? `${version}\n${probes.system()}` : version;
}

/** Returns the exit code of the error's kind, or the one that a shell shows for the signal or SIGPIPE. */
function exitCodeOf(error: unknown): number {
  if (error instanceof GwtokenError) return exitCodeFor(error.kind);
  return error instanceof Interrupted || error instanceof ReaderGone ? error.exitCode : 1;
}

/** Reports an uncaught error and resolves with the exit code; the command's `onFailure` still runs. */
export async function crash(argv: readonly string[], error: unknown, world: World): Promise<number> {
  const code = await afterFailure(argv, 1, world);
  await report(error, false, world);
  return code;
}

/** Writes an error and its hints to stderr, and resolves with its exit code. */
export async function report(thrown: unknown, verbose: boolean, world: World): Promise<number> {
  const error = limitReached(thrown) ?? thrown;
  const paint = await world.terminal.paint('stderr');
  const label = `gwtoken: ${paint.red('error:')}`;
  const lines =
    error instanceof GwtokenError
      ? [
          `${label} ${oneLine(error.message)}`,
          ...error.hints.map((hint) => hintLine(hint, paint)),
          ...(verbose && error.detail !== undefined ? [`gwtoken: ${oneLine(error.detail)}`] : []),
        ]
      : [
          `${label} unexpected error (a bug in gwtoken; please report it with the output of gwtoken doctor)`,
          error instanceof Error ? (error.stack ?? error.message) : String(error),
        ];
  try {
    world.stderr.write(`${lines.join('\n')}\n`);
  } catch (unwritable) {
    // stderr is broken; the exit code still says what went wrong.
    if (!(unwritable instanceof GwtokenError)) throw unwritable;
  }
  return exitCodeOf(error);
}
