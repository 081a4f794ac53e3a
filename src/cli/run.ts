/** Runs one command line and returns its exit code. `failWith` reports every error. */
import { hintLine } from '../commands/report';
import { hideSecrets } from '../credentials/variables';
import { EXEC_FAILED, EXIT_CODES, GwtokenError, orUndefined } from '../errors';
import { failureOutput } from '../formats/env-formats';
import { note } from '../note';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import { Interrupted, ReaderGone } from '../signals';
import { isSystemError } from '../system-errors';
import { oneLine } from '../text';
import type { Paint, World } from '../world';
import { type Line, readLine } from './command-line';

/** Command that the completion scripts call: `gwtoken complete -- WORD…`. Nobody types it. */
const COMPLETE = 'complete';

/**
 * Runs the words after `gwtoken`. Resolves with the exit code; rejects only with Interrupted and ReaderGone,
 * which print nothing.
 */
export async function run(argv: readonly string[], outside: World): Promise<number> {
  const world = hidingSecrets(outside);
  try {
    if (argv[0] === COMPLETE && argv[1] === '--') {
      const { completions } = await import('./completion');
      world.stdout.write(completions(argv.slice(2), world));
      return 0;
    }
    const line = readLine(argv);
    const { path, flags, args, shows, problem } = line;
    if (shows === 'version') return show(`${world.version}\n`, line, world);
    if (shows) {
      const { helpText } = await import('./help');
      const help = helpText(path, world.repository);
      return shows === 'help' ? show(help, line, world) : showUnasked(help, line, world);
    }
    if (problem) throw problem;
    const traced = flags.verbose ? tracing(world) : world;
    const { load } = path.at(-1)!;
    if (!load) return show(await (await import('./help')).helpOf(args, world), line, world);
    const work = await load();
    return (await work(flags, traced, args)) || 0;
  } catch (error) {
    return await failWith(argv, error, outside);
  }
}

/**
 * Returns the world with an stderr that hides client secrets: warnings repeat typed values, which may be
 * secrets. The texts of stdout and of src/system do not.
 */
function hidingSecrets(world: World): World {
  const write = (text: string): void => world.stderr.write(hideSecrets(text, world.env));
  return { ...world, stderr: { ...world.stderr, write } };
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

/** Shows the help of a line that ends before its command: a failure, unless it is bare and on a terminal. */
function showUnasked(help: string, line: Line, world: World): number {
  if (world.stdout.isTTY() && Object.keys(line.flags).length === 0) return show(help, line, world);
  orUndefined(() => printFailure(line, EXIT_CODES.usage, world.stdout));
  world.stderr.write(help);
  return EXIT_CODES.usage;
}

/** Reports the error of a command line and resolves with its exit code. */
export async function failWith(argv: readonly string[], error: unknown, world: World): Promise<number> {
  const line = readLine(argv);
  const isSilent = error instanceof Interrupted || error instanceof ReaderGone;
  const ownCode = isSilent || error instanceof GwtokenError ? error.exitCode : EXIT_CODES.local;
  const code = line.path.at(-1)?.passThrough && ownCode < EXEC_FAILED ? EXEC_FAILED : ownCode;
  // Write to stdout first, because the error may be the ReaderGone of a broken stderr. If stdout is broken
  // too, still report the first failure.
  orUndefined(() => printFailure(line, code, world.stdout));
  if (isSilent) throw error;
  await printError(error, line.flags, world);
  return code;
}

/** Prints an error. If stderr is broken or has no reader, the exit code still shows the kind of error. */
export async function printError(error: unknown, flags: FlagValues, world: World): Promise<void> {
  const lines = await errorLines(flags, error, await world.terminal.paint('stderr'), world);
  const text = hideSecrets(`${lines.join('\n')}\n`, world.env);
  orUndefined(() => world.stderr.write(text));
}

/** Writes failing statements to stdout if a shell may evaluate it, and so not to a terminal. */
function printFailure({ flags, mayBeEvaluated }: Line, code: number, stdout: World['stdout']): void {
  if (!mayBeEvaluated || stdout.isTTY()) return;
  stdout.write(failureOutput(flags, code));
}

/** Returns the lines on stderr for an error: its message, then its hints or, for a bug, its stack. */
async function errorLines(flags: FlagValues, error: unknown, paint: Paint, world: World): Promise<string[]> {
  const label = `gwtoken: ${paint.red('error:')}`;
  // Such as a limit of the process, or a working directory that was removed.
  if (isSystemError(error)) return [`${label} ${oneLine(error.message)}`];
  if (!(error instanceof GwtokenError)) {
    const at = world.repository === null ? '' : ` at ${world.repository}`;
    const bug = `a bug in gwtoken; please report it${at} with the output of gwtoken doctor`;
    return [
      `${label} unexpected error (${bug})`,
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    ];
  }
  const detail = flags.verbose ? error.detail : undefined;
  const settings = orUndefined(() => gather(flags, world));
  // The hints are missing if the limit of open files is reached, or if gwtoken was removed meanwhile.
  const module = await import('../hints/hints').catch(() => undefined);
  const hints = module?.hintsFor(error, settings) ?? [];
  return [
    `${label} ${oneLine(error.message)}`,
    ...hints.map((hint) => hintLine(hint, paint)),
    ...(detail === undefined ? [] : [`gwtoken: ${oneLine(detail)}`]),
  ];
}
