/** run(argv, world) -> exit code: the commander program, built from the options table, and the one error boundary. */

import { Command, CommanderError, Option } from 'commander';
import { afterFailure, VERBS } from '../commands/all';
import type { Verb } from '../commands/command';
import { COMPLETE, complete } from '../commands/completion/completion';
import { ENDING_SIGNALS, GwtokenError, Interrupted, ReaderGone } from '../errors';
import type { Flag } from '../flags';
import type { FlagValues } from '../settings/setting';
import { oneLine } from '../text';
import type { World } from '../world/world';
import { addHelp, layOut, layOutAll, list } from './help';
import { usageError } from './usage-error';

const ABOUT = `Fetch OAuth 2.0 client-credentials tokens for the API gateway and its sandbox.
New here? gwtoken login asks for what it needs; gwtoken get prints a token.`;

const GROUPS = {
  client: 'Which client:',
  fetch: 'How the token is fetched:',
  output: 'Output:',
  general: 'General:',
};

/** What commander would find out from `process.stdout`, which costs 4 ms to make: help is 80 columns and plain. */
const NO_TERMINAL = {
  getOutHelpWidth: () => 80,
  getErrHelpWidth: () => 80,
  getOutHasColors: () => false,
  getErrHasColors: () => false,
};

/** Runs one command line. Rejects only with Interrupted and ReaderGone, which are not answered with words. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  let verbose = false;
  const traced = (): World => {
    verbose = true;
    return { ...world, trace: (line) => world.stderr.write(`gwtoken: ${oneLine(line)}\n`) };
  };
  let exitCode = 0;
  const ended = (code: number): void => {
    exitCode = code;
  };
  try {
    if (argv[0] === COMPLETE && argv[1] === '--') {
      complete(argv.slice(2), VERBS, world);
      return 0;
    }
    const program = createProgram(VERBS, world, traced, ended);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof Interrupted) {
      afterFailure(argv, ENDING_SIGNALS[error.signal as keyof typeof ENDING_SIGNALS] ?? 1, world);
      throw error;
    }
    const code = afterFailure(argv, error instanceof GwtokenError ? error.exitCode : 1, world);
    await report(error, verbose, world);
    return code;
  }
}

/** The exit code when nothing caught an error, after the last that the verb can do; all of it at once, nothing waits. */
export function exitCodeOfCrash(argv: readonly string[], world: World): number {
  return afterFailure(argv, 1, world);
}

/** The grammar, for `verbs` and `help`; `traced` gives the world of a command with --verbose, `ended` gets its exit code. */
export function createProgram(
  verbs: readonly Verb[],
  world: World,
  traced: () => World,
  ended: (exitCode: number) => void = () => {},
): Command {
  const program = new Command('gwtoken');
  program
    .description(ABOUT)
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: () => {},
      ...NO_TERMINAL,
    });
  layOutAll(program);
  answerForItself(program, world);
  const surroundings: Surroundings = { world, traced, ended, unequipped: new Map() };
  addVerbs(program, verbs, surroundings);
  answerForItself(
    addHelp(program, verbs, (command) => equip(command, surroundings), world),
    world,
  );
  return program;
}

interface Surroundings {
  readonly world: World;
  traced(): World;
  ended(exitCode: number): void;
  /** Of each command that was not chosen so far: the flags and commands of all took a third of `--help`. */
  readonly unequipped: Map<Command, Verb>;
}

function addVerbs(parent: Command, verbs: readonly Verb[], surroundings: Surroundings): void {
  for (const verb of verbs) {
    const command = parent.command([verb.name, verb.args].filter(Boolean).join(' '));
    list(command, verb);
    surroundings.unequipped.set(command, verb);
  }
  parent.hook('preSubcommand', (_, chosen) => equip(chosen, surroundings));
}

/** Gives a chosen command its flags, the commands below it and its work. */
function equip(command: Command, surroundings: Surroundings): void {
  const { world, traced, ended, unequipped } = surroundings;
  const verb = unequipped.get(command);
  if (verb === undefined) return;
  unequipped.delete(command);
  layOut(command, verb);
  answerForItself(command, world);
  if (verb.passThrough) command.passThroughOptions();
  if (verb.evaluated) {
    // Asked when there is help to print: to tell a terminal costs every command 2 ms.
    command.configureOutput({
      writeOut: (text) => (world.stdout.isTTY() ? world.stdout : world.stderr).write(text),
    });
  }
  for (const flag of verb.flags) for (const option of optionsOf(flag)) command.addOption(option);
  addVerbs(command, verb.verbs ?? [], surroundings);
  const { run } = verb;
  if (!run) return;
  command.action(async (...given: unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((arg): arg is string => typeof arg === 'string');
    const flags = givenFlags(command, verb.flags);
    const exitCode = await run(flags, flags['verbose'] === true ? traced() : world, ...args);
    if (typeof exitCode === 'number') ended(exitCode);
  });
}

/** `--version` everywhere, and usage errors that name the command they belong to. */
function answerForItself(command: Command, world: World): void {
  command
    .optionsGroup('General:')
    .version(world.version, '--version', 'print the version')
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, command);
    });
}

function optionsOf(flag: Flag): Option[] {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  const value = flag.value === undefined ? '' : ` <${flag.value}>`;
  const names = flag.negative === 'only' ? [`--no-${flag.name}`] : [`${short}--${flag.name}${value}`];
  if (flag.negative === 'also') names.push(`--no-${flag.name}`);
  return names.map((name, index) =>
    new Option(name, index === 0 ? flag.help : `undo --${flag.name} of a variable or the config`).helpGroup(
      GROUPS[flag.group],
    ),
  );
}

/** Only what stands on the command line, by its long name: defaults of commander's are not the user's word. */
function givenFlags(command: Command, flags: readonly Flag[]): FlagValues {
  const values: Record<string, string | boolean> = {};
  for (const { name } of flags) {
    // commander strips "no-" from the key of a flag that begins with it, and turns its value around.
    const negated = name.startsWith('no-');
    const key = (negated ? name.slice(3) : name).replace(/-(.)/g, (_, letter: string) =>
      letter.toUpperCase(),
    );
    if (command.getOptionValueSource(key) !== 'cli') continue;
    const value = command.getOptionValue(key) as string | boolean;
    values[name] = negated ? !value : value;
  }
  return values;
}

/** The one place where an error becomes words and a code (contract section 5). */
export async function report(error: unknown, verbose: boolean, world: World): Promise<number> {
  const paint = await world.terminal.paint('stderr');
  const label = `gwtoken: ${paint.red('error:')}`;
  const known = error instanceof GwtokenError;
  const lines = known
    ? [
        `${label} ${oneLine(error.message)}`,
        ...error.hints.map((hint) => `${paint.cyan('hint:')} ${oneLine(hint)}`),
        ...(verbose && error.detail !== undefined ? [`gwtoken: ${oneLine(error.detail)}`] : []),
      ]
    : [`${label} a bug in gwtoken`, error instanceof Error ? (error.stack ?? error.message) : String(error)];
  try {
    world.stderr.write(`${lines.join('\n')}\n`);
  } catch (unwritable) {
    // The code is the answer then; that nobody can read the words does not change it.
    if (!(unwritable instanceof GwtokenError)) throw unwritable;
  }
  return known ? error.exitCode : 1;
}
