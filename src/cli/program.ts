/**
 * Builds commander's parser from the grammar. In the help, commander lists commands and flags; examples stand
 * above them, topics below. Usage errors and completion read the same parser.
 */
import { CommanderError, Option, Command as Parser } from 'commander';
import { type Flag, namesIn, takesValue, VERBOSE } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { alignRows } from '../commands/report';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { TOPICS, topicAsText, topicText } from './topics';
import { usageError } from './usage-error';

const WIDTH = 80;
const LEARN_MORE = 'Learn more: gwtoken COMMAND --help, gwtoken help TOPIC. Topics:';

const HELP = '-h, --help';
const VERSION = '-V, --version';

/** A parsed command line: a command with its flags and arguments, or only a text. */
interface ParsedLine {
  readonly command?: Command;
  /** Flags that were typed; none has a default here. */
  readonly flags: FlagValues;
  /** Arguments; for `help`, the names of a command or topic. */
  readonly args: readonly string[];
  /** Text that `--help` or `--version` prints; empty for a command. */
  readonly text: string;
}

/** Parses a command line. Throws a `usage` error if it is invalid. */
export function parseLine(argv: readonly string[], version: string): ParsedLine {
  const words = argv[0] === 'curl' ? protectCurlFlags(argv) : withHelpFlag(argv);
  let line: ParsedLine = { flags: {}, args: [], text: '' };
  const program = createProgram({
    words,
    version,
    onCommand(command, parser) {
      line = { ...line, command, flags: typedFlags(parser), args: parser.args };
    },
    onOutput(text) {
      line = { ...line, text: line.text + text };
    },
  });
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    // commander throws after it has printed help or the version.
    if (!(error instanceof CommanderError)) throw error;
  }
  return line;
}

/** Commands that show their help if nothing follows them. */
const SHOW_HELP = ['config', 'completion'];

/** Adds `--help` to `gwtoken`, `gwtoken config` and `gwtoken completion`, each also with a `--` after it. */
function withHelpFlag(argv: readonly string[]): readonly string[] {
  const given = argv.filter((word) => word !== '--');
  const [name, ...more] = given;
  const isBare = name === undefined || (more.length === 0 && SHOW_HELP.includes(name));
  return isBare ? [...given, '--help'] : argv;
}

/** Flags of `gwtoken curl`. The first other word and all words after it belong to curl. */
const CURL_FLAGS = [
  ...COMMANDS.flatMap(({ name, flags }) => (name === 'curl' ? flags.map(({ spec }) => spec) : [])),
  VERBOSE.spec,
  HELP,
  VERSION,
];

/** Puts `--` before curl's first word if it is a flag such as `-vk`: commander would parse the `v`. */
function protectCurlFlags(words: readonly string[]): readonly string[] {
  let at = 1;
  while (at < words.length) {
    const word = words[at]!;
    const spec = CURL_FLAGS.find((each) => isFlag(word, each));
    if (spec === undefined) {
      const isCurlFlag = word.startsWith('-') && word !== '--';
      return isCurlFlag ? words.toSpliced(at, 0, '--') : words;
    }
    const takesNextWord = takesValue(spec) && namesIn(spec).includes(word);
    at += takesNextWord ? 2 : 1;
  }
  return words;
}

/** Returns whether the word is a flag with this spec: `-r`, `--region`, `-reu` or `--region=eu`. */
function isFlag(word: string, spec: string): boolean {
  const names = namesIn(spec);
  if (!takesValue(spec)) return names.includes(word);
  return names.some((name) => word === name || word.startsWith(name.startsWith('--') ? `${name}=` : name));
}

/** Returns what `gwtoken help NAMES` shows: the help of the program or of a command, or a topic. */
export async function helpOf(
  names: readonly string[],
  { version, terminal }: Pick<World, 'version' | 'terminal'>,
): Promise<string> {
  if (names.length === 0 || isCommand(names, COMMANDS)) return parseLine([...names, '--help'], version).text;
  return topicAsText(await topicText(names), await terminal.paint('stdout'));
}

function isCommand([name, ...names]: readonly string[], commands: readonly Command[]): boolean {
  const command = commands.find((each) => each.name === name);
  return command !== undefined && (names.length === 0 || isCommand(names, command.subcommands ?? []));
}

/** The command line that a parser is made for, and the parser's callbacks. */
interface ProgramOptions {
  readonly words: readonly string[];
  /** Text for `--version`. */
  readonly version: string;
  onCommand(command: Command, parser: Parser): void;
  onOutput(text: string): void;
}

/**
 * Creates the parser. Only the commands that the words name get their flags: adding all flags would take a
 * tenth of the time of `--help`.
 */
export function createProgram(options: ProgramOptions): Parser {
  const program = new Parser('gwtoken')
    .description('Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login')
    .usage('COMMAND [options]')
    .enablePositionalOptions()
    .optionsGroup('General:')
    .helpOption(HELP, 'show this help')
    // commander would add the values that completion offers.
    .configureHelp({ optionDescription: ({ description }) => description })
    .configureOutput({
      writeOut: options.onOutput,
      writeErr() {},
      // commander would read `process.stdout`, which takes 4 ms to make.
      getOutHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
    });
  addCommonFlags(program, options);
  addCommands(program, COMMANDS, options);
  // Gives the main help one line for each command, so that it fits a terminal of 24 lines. The commands exist
  // by now and do not inherit this.
  return program
    .configureHelp({ subcommandTerm: (parser) => parser.name(), visibleOptions: () => [] })
    .addHelpText('after', `\n${LEARN_MORE}\n  ${Object.keys(TOPICS).join(', ')}`);
}

function addCommands(parent: Parser, commands: readonly Command[], options: ProgramOptions): void {
  for (const command of commands) {
    const { name, args, summary, group, flags, subcommands = [], passThrough } = command;
    // Help itself is not listed, since the last lines of the main help name it.
    const parser = parent
      .command([name, args].filter(Boolean).join(' '), { hidden: name === 'help' })
      .summary(summary)
      .helpCommand(false);
    if (group !== undefined) parser.helpGroup(group);
    if (!options.words.includes(name)) continue;
    for (const flag of flags) parser.addOption(optionFor(flag));
    if (subcommands.length === 0) parser.optionsGroup(VERBOSE.group).option(VERBOSE.spec, VERBOSE.help);
    addCommonFlags(parser, options);
    addCommands(parser, subcommands, options);
    layOut(parser, command);
    if (passThrough) parser.passThroughOptions().allowUnknownOption(passThrough === 'flags');
    // `config` has no action, so commander rejects it without a subcommand.
    if (subcommands.length === 0) parser.action(() => options.onCommand(command, parser));
  }
}

function optionFor({ spec, help, group, values }: Flag): Option {
  const option = new Option(spec, help).helpGroup(group);
  // Not `choices()`, because the setting or the format checks the value.
  if (values && option.required) option.argChoices = [...values];
  return option;
}

/** Adds `--version`, and usage errors that name this command. */
function addCommonFlags(parser: Parser, { version }: ProgramOptions): void {
  parser
    .optionsGroup('General:')
    .version(version, VERSION, 'print the version')
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, parser);
    });
}

/** Returns the flags that were typed, without commander's defaults. `--no-NAME` becomes NAME: false. */
function typedFlags(parser: Parser): FlagValues {
  const typed = parser.options.filter((each) => parser.getOptionValueSource(each.attributeName()) === 'cli');
  return Object.fromEntries(
    typed.map((each) => [each.name().replace(/^no-/, ''), parser.getOptionValue(each.attributeName())]),
  );
}

/** Lays out the help of one command. */
function layOut(parser: Parser, { name, summary, examples, flags }: Command): void {
  const lines = Object.entries(examples).map(([line, does]) => `  ${line}\n      ${does}`);
  parser.description([sentence(summary), '', 'Examples:', ...lines].join('\n'));
  const topics = Object.entries(TOPICS).map(([topic, { summary }]) => [`  ${topic}`, summary]);
  if (name === 'help') parser.addHelpText('after', ['', 'Help topics:', ...alignRows(topics)].join('\n'));
  const hasSettings = flags.some(({ setting }) => setting);
  const settings = hasSettings ? 'Variables and config keys: gwtoken help settings\n' : '';
  parser.addHelpText('after', `\n${settings}Exit codes: gwtoken help exit-codes`);
}

/** Returns a summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
