/** Reads the command line with commander, which also words what is wrong with it. */
import { CommanderError, Option, Command as Parser } from 'commander';
import { COMMON_FLAGS, type Flag, HELP, longName, VERSION } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { type GwtokenError, usage } from '../errors';
import type { FlagValues } from '../settings/table';
import { shortened, similarWords } from '../text';
import { flagValues, type GivenFlag } from './line';
import { hintFor } from './slips';

/** A command line, as far as commander could read it. */
export interface Line {
  /** The command and, if it has any, the subcommand. */
  readonly path: readonly Command[];
  /** The flags before and after the command. */
  readonly flags: FlagValues;
  /** Arguments, or the words of the program that the command starts. */
  readonly args: readonly string[];
  /** Text to show instead of running a command: `commands` if the line ends before it names one. */
  readonly shows: 'version' | 'help' | 'commands' | undefined;
  /** The error if no command can run, and no text is shown. */
  readonly problem: GwtokenError | undefined;
  /** True for `env`, for a word like it or like `export`, and for a line that broke before any command. */
  readonly mayBeEvaluated: boolean;
}

/** Flags that may stand before a command. */
export const ALL_FLAGS = [
  ...new Map(COMMANDS.flatMap(({ flags }) => flags).map((flag) => [longName(flag), flag])).values(),
];
/** commander passes words on as arguments of a function, which takes about 100,000. */
const MOST_WORDS = 10_000;

/** Reads the words after `gwtoken`. What is wrong with them is the line's `problem`. */
export function readLine(argv: readonly string[]): Line {
  const parsed = parse(argv.slice(0, MOST_WORDS));
  const shows = textToShow(parsed);
  return {
    path: parsed.path,
    flags: flagValues(parsed.given),
    args: [...parsed.args, ...argv.slice(MOST_WORDS)],
    shows,
    problem: parsed.error && !shows ? problemOf(parsed.error, parsed) : undefined,
    mayBeEvaluated: mayBeEvaluated(parsed),
  };
}

/** The words that commander has read, up to the error if there is one. */
interface Parsed {
  readonly path: readonly Command[];
  readonly given: readonly GivenFlag[];
  readonly args: readonly string[];
  readonly error: CommanderError | undefined;
}

function parse(argv: readonly string[]): Parsed {
  const path: Command[] = [];
  const given: GivenFlag[] = [];
  const program = new Parser('gwtoken').exitOverride().enablePositionalOptions().helpOption(false);
  // commander would lay out the help of a line without a command, and read `process.stderr`.
  program.configureHelp({ formatHelp: () => '' });
  program.configureOutput({ writeErr() {}, getErrHelpWidth: () => 80, getErrHasColors: () => false });
  /** The parser of the last command of the path. */
  let last = program;
  const reach = (parser: Parser, shape: Shape): void => {
    last = parser;
    prepare(parser, shape, given);
    parser.hook('preSubcommand', (_, subparser) => {
      const subcommand = shape.subcommands!.find(({ name }) => name === subparser.name())!;
      path.push(subcommand);
      reach(subparser, subcommand);
    });
  };
  reach(program, { flags: [], subcommands: COMMANDS });
  let error: CommanderError | undefined;
  try {
    program.parse(argv, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    error = thrown;
  }
  return { path, given, args: last.args, error };
}

/** The parts of a command, or of the whole program, that commander has to know. */
type Shape = Pick<Command, 'args' | 'flags' | 'subcommands' | 'passThrough'>;

/** Prepares a parser once commander reaches it, because preparing all takes time at each start. */
function prepare(parser: Parser, shape: Shape, given: GivenFlag[]): void {
  const { args = '', flags, subcommands, passThrough } = shape;
  parser.helpCommand(false);
  for (const flag of [...(subcommands ? ALL_FLAGS : flags), ...COMMON_FLAGS]) addFlag(parser, flag, given);
  for (const [arg] of args.matchAll(/<[^>]+>|\[[^\]]+\]/g)) parser.argument(arg);
  for (const { name } of subcommands ?? []) parser.command(name);
  if (passThrough) parser.passThroughOptions().allowExcessArguments();
  if (passThrough === 'flags') parser.allowUnknownOption();
  if (!subcommands) parser.action(() => rejectForeignFlags(parser, given));
}

function addFlag(parser: Parser, flag: Flag, given: GivenFlag[]): void {
  const option = new Option(flag.spec);
  parser.addOption(option).on(`option:${option.name()}`, (value?: string) => {
    if (value === '--') parser.error(`error: option '${flag.spec}' argument missing`);
    given.push({ flag, value });
  });
}

/** Throws if a flag stands before a command that does not take it. */
function rejectForeignFlags(parser: Parser, given: readonly GivenFlag[]): void {
  const taken = parser.options.map(({ long }) => long);
  const foreign = given.map(({ flag }) => longName(flag)).find((name) => !taken.includes(name));
  if (foreign) parser.error(`error: unknown option '${foreign}'`);
}

function textToShow({ path, given, error }: Parsed): Line['shows'] {
  const command = path.at(-1);
  const lacksCommand = error?.code === 'commander.help';
  // If a line breaks before its command, `--help` and `--version` may be another program's words.
  if (!lacksCommand && (!command || command.subcommands)) return undefined;
  const isGiven = (flag: Flag): boolean => given.some((each) => each.flag === flag);
  if (isGiven(VERSION)) return 'version';
  if (isGiven(HELP)) return 'help';
  return lacksCommand ? 'commands' : undefined;
}

function mayBeEvaluated({ path: [command], args, error }: Parsed): boolean {
  if (command) return command.evaluated === true;
  if (error?.code !== 'commander.unknownCommand') return true;
  return args.some((word) => /env|export/i.test(word) || similarWords(word, ['env', 'export']).length > 0);
}

/** Returns the error with commander's sentence, but without what may be a value, and with its hints. */
function problemOf({ message }: CommanderError, { path, args }: Parsed): GwtokenError {
  const names = path.map(({ name }) => name);
  const [sentence = '', suggestion] = message.replace('error: ', '').split(/\n(?=\(Did you mean [^']*$)/);
  const shown = sentence.replace(/(?<=^unknown \w+ ').*(?='$)/s, withoutValue);
  const help = `for help, run: ${['gwtoken', ...names].join(' ')} --help`;
  const hint = hintFor(names, args) ?? suggestion;
  return usage(shown, hint === undefined ? [help] : [hint, help]);
}

/** Returns an unknown word without what may be a value: `--secret=…` for `--secret=x`, and `-s` for `-sx`. */
function withoutValue(word: string): string {
  const name = /^-[^-]/.test(word) ? word.slice(0, 2) : word.replace(/=.*/s, '=…');
  return shortened(name);
}
