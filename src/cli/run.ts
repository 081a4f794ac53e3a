/** Runs one command line and returns its exit code. `failWith` reports every error. */

import { hintLine } from '../commands/report';
import { hideSecrets } from '../credentials/variables';
import { EXEC_FAILED, EXIT_CODES, GwtokenError, orUndefined } from '../errors';
import { failureOutput } from '../formats/env-formats';
import { hintsFor } from '../hints/hints';
import { gather } from '../settings/resolve';
import { Interrupted, ReaderGone } from '../signals';
import { limitReached } from '../system-errors';
import { note, oneLine } from '../text';
import type { Paint, World } from '../world';
import { COMPLETE, completions } from './completion';
import { helpOf } from './help';
import { flagValues, type Line, startsProgram } from './line';
import { parseLine } from './parse';

/** Resolves with the exit code; rejects only with Interrupted and ReaderGone, which print nothing. */
export async function run(line: Line, given: World): Promise<number> {
  // Warnings repeat typed values, which may be secrets. The texts of stdout and of src/system do not.
  const write = (text: string): void => given.stderr.write(hideSecrets(text, given.env));
  const world = { ...given, stderr: { ...given.stderr, write } };
  try {
    if (line.path.length === 0 && line.args[0] === COMPLETE && line.program.length > 0) {
      world.stdout.write(completions(line.program, world));
      return 0;
    }
    const parsed = parseLine(line, world.version);
    if ('text' in parsed) return (parsed.isAsked ? show : showUnasked)(parsed.text, line, world);
    const { command, flags, args } = parsed;
    const traced = flags.verbose ? tracing(world) : world;
    if (!command.load) return show(await helpOf(args, world), line, world);
    const work = await command.load();
    return (await work(flags, traced, args)) || 0;
  } catch (error) {
    return await failWith(line, error, given);
  }
}

/** Returns a world that traces to stderr, after writing the version there. */
function tracing(world: World): World {
  const trace = (line: string): void => note(world, line);
  trace(`version ${world.version}, ${world.describeBuild()}`);
  return { ...world, trace };
}

/** Shows a requested text, on stderr if a shell may evaluate stdout. */
function show(text: string, { path }: Line, { stdout, stderr }: World): number {
  (path[0]?.evaluated && !stdout.isTTY() ? stderr : stdout).write(text);
  return 0;
}

/** Shows the help of a line that lacks its command or argument. Only on a terminal is that no failure. */
function showUnasked(help: string, line: Line, world: World): number {
  if (world.stdout.isTTY()) return show(help, line, world);
  orUndefined(() => printFailure(line, EXIT_CODES.usage, world.stdout));
  world.stderr.write(help);
  return EXIT_CODES.usage;
}

/** The parts of the line that a failure depends on. */
type FailedLine = Pick<Line, 'path' | 'flags' | 'mayBeEvaluated'>;

/** Reports an error and resolves with its exit code. */
export async function failWith(line: FailedLine, error: unknown, world: World): Promise<number> {
  const hasCode =
    error instanceof GwtokenError || error instanceof Interrupted || error instanceof ReaderGone;
  const ownCode = hasCode ? error.exitCode : EXIT_CODES.local;
  const code = startsProgram(line) && ownCode < EXEC_FAILED ? EXEC_FAILED : ownCode;
  // Write to stdout first, because the error may be the ReaderGone of a broken stderr. If stdout is broken
  // too, still report the first failure.
  orUndefined(() => printFailure(line, code, world.stdout));
  if (error instanceof Interrupted || error instanceof ReaderGone) throw error;
  const lines = errorLines(line, error, await world.terminal.paint('stderr'), world);
  const text = hideSecrets(`${lines.join('\n')}\n`, world.env);
  // If stderr is broken or has no reader, the exit code still shows the kind of error.
  orUndefined(() => world.stderr.write(text));
  return code;
}

/** Writes failing statements to stdout if a shell may evaluate it, and so not to a terminal. */
function printFailure({ flags, mayBeEvaluated }: FailedLine, code: number, stdout: World['stdout']): void {
  if (!mayBeEvaluated || stdout.isTTY()) return;
  stdout.write(failureOutput(flagValues(flags), code));
}

/** Returns the lines on stderr for an error: its message, then its hints or, for a bug, its stack. */
function errorLines(line: FailedLine, thrown: unknown, paint: Paint, world: World): string[] {
  const error = limitReached(thrown) ?? thrown;
  const label = `gwtoken: ${paint.red('error:')}`;
  if (!(error instanceof GwtokenError)) {
    const bug = 'unexpected error (a bug in gwtoken; please report it with the output of gwtoken doctor)';
    return [`${label} ${bug}`, error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  const flags = flagValues(line.flags);
  const detail = flags.verbose ? error.detail : undefined;
  const settings = orUndefined(() => gather(flags, world));
  return [
    `${label} ${oneLine(error.message)}`,
    ...hintsFor(error, world, settings).map((hint) => hintLine(hint, paint)),
    ...(detail === undefined ? [] : [`gwtoken: ${oneLine(detail)}`]),
  ];
}
