/** Runs one command line and returns its exit code. `failWith` reports every error. */

import { COMMANDS, type Command } from '../commands/grammar';
import { hintLine } from '../commands/report';
import { hideSecrets } from '../credentials/variables';
import {
  EXEC_FAILED,
  EXIT_CODES,
  GwtokenError,
  Interrupted,
  limitReached,
  orUndefined,
  ReaderGone,
} from '../errors';
import { failureOutput } from '../formats/env-formats';
import { hintsFor } from '../hints';
import { note, oneLine } from '../text';
import type { Paint, World } from '../world';
import { COMPLETE, completions } from './completion';
import { helpOf, parseLine } from './program';

/** Resolves with the exit code; rejects only with Interrupted and ReaderGone, which print nothing. */
export async function run(argv: readonly string[], given: World): Promise<number> {
  // Warnings repeat typed values, which may be secrets. The texts of stdout and of src/system do not.
  const write = (text: string): void => given.stderr.write(hideSecrets(text, given.env));
  const world = { ...given, stderr: { ...given.stderr, write } };
  let verbose = false;
  try {
    if (argv[0] === COMPLETE && argv[1] === '--') {
      world.stdout.write(completions(argv.slice(2), world));
      return 0;
    }
    const { command, flags, args, text } = parseLine(argv, world.version);
    verbose = flags.verbose ?? false;
    const traced = verbose ? tracing(world) : world;
    if (command?.load) {
      const work = await command.load();
      return (await work(flags, traced, ...args)) || 0;
    }
    show(command ? await helpOf(args, world) : text, commandIn(argv), world);
    return 0;
  } catch (error) {
    return await failWith(argv, error, verbose, given);
  }
}

/** Returns the command of the first word that is not a flag: `eval` must fail after a wrong flag too. */
function commandIn(argv: readonly string[]): Command | undefined {
  const first = argv.find((word) => !word.startsWith('-'));
  return COMMANDS.find(({ name }) => name === first);
}

/** Returns a world that traces to stderr, after writing the version there. */
function tracing(world: World): World {
  const trace = (line: string): void => note(world, line);
  trace(`version ${world.version}, ${world.describeBuild()}`);
  return { ...world, trace };
}

/** Shows help: through a pager on a terminal, otherwise on stderr if a shell would evaluate stdout. */
function show(help: string, command: Command | undefined, { stdout, stderr, terminal }: World): void {
  if (stdout.isTTY()) terminal.page(help);
  else (command?.evaluated ? stderr : stdout).write(help);
}

/** Reports an error and resolves with its exit code. */
export async function failWith(
  argv: readonly string[],
  error: unknown,
  verbose: boolean,
  world: World,
): Promise<number> {
  const code = exitCodeOf(error);
  const command = commandIn(argv);
  // Write to stdout first, because the error may be the ReaderGone of a broken stderr. A terminal evaluates
  // nothing.
  if (command?.evaluated && !world.stdout.isTTY()) {
    // If stdout is broken too, still report the first failure.
    orUndefined(() => world.stdout.write(failureOutput(argv, code)));
  }
  if (error instanceof Interrupted || error instanceof ReaderGone) throw error;
  const lines = errorLines(error, verbose, await world.terminal.paint('stderr'), world);
  const text = hideSecrets(`${lines.join('\n')}\n`, world.env);
  // If stderr is broken or has no reader, the exit code still shows the kind of error.
  orUndefined(() => world.stderr.write(text));
  return command?.passThrough && code < EXEC_FAILED ? EXEC_FAILED : code;
}

/** Returns the exit code of the error's kind, or the one that a shell shows for the signal or SIGPIPE. */
function exitCodeOf(error: unknown): number {
  if (error instanceof GwtokenError) return EXIT_CODES[error.kind];
  return error instanceof Interrupted || error instanceof ReaderGone ? error.exitCode : EXIT_CODES.local;
}

/** Returns the lines on stderr for an error: its message, then its hints or, for a bug, its stack. */
function errorLines(thrown: unknown, verbose: boolean, paint: Paint, world: World): string[] {
  const error = limitReached(thrown) ?? thrown;
  const label = `gwtoken: ${paint.red('error:')}`;
  if (!(error instanceof GwtokenError)) {
    const bug = 'unexpected error (a bug in gwtoken; please report it with the output of gwtoken doctor)';
    return [`${label} ${bug}`, error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  const detail = verbose ? error.detail : undefined;
  return [
    `${label} ${oneLine(error.message)}`,
    ...hintsFor(error, world).map((hint) => hintLine(hint, paint)),
    ...(detail === undefined ? [] : [`gwtoken: ${oneLine(detail)}`]),
  ];
}
