/**
 * commander's program, built from the grammar, with its help: commander lists commands and flags, examples
 * stand above, topics below. Errors and completion read it too; it is the only table.
 */
import { CommanderError, Option, Command as Parser } from 'commander';
import { VERBOSE } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { alignRows } from '../commands/report';
import { GwtokenError, valueOrError } from '../errors';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { TOPICS, topicAsText, topicText } from './topics';
import { usageError } from './usage-error';

const WIDTH = 80;
const LEARN_MORE = 'Learn more: gwtoken COMMAND --help, gwtoken help TOPIC. Topics:';

/** Commands that show their help if nothing follows them. */
const SHOW_HELP = ['config', 'completion'];

/** The meaning of a command line: a command, or without one the text of `--help` or `--version`. */
interface Asked {
  readonly command?: Command;
  /** Flags that were given; none has a default here. */
  readonly flags: FlagValues;
  /** Of `help`, the only command with nothing to load, the names to help with. */
  readonly args: readonly string[];
  readonly text: string;
}

/** Reads a command line. Throws a `usage` error for one that gwtoken does not take. */
export function parseLine(argv: readonly string[], version: string): Asked {
  const [name, ...more] = argv;
  const isBare = name === undefined || (more.length === 0 && SHOW_HELP.includes(name));
  const words = isBare ? [...argv, '--help'] : argv;
  let asked: Asked = { flags: {}, args: [], text: '' };
  const program = createProgram({
    words,
    version,
    called(command, parser) {
      asked = { command, flags: givenFlags(parser), args: parser.args, text: '' };
    },
    printed(text) {
      asked = { ...asked, text: asked.text + text };
    },
  });
  try {
    program.parse(name === 'curl' ? protectCurlFlags(words, version) : words, { from: 'user' });
  } catch (error) {
    // commander throws after it has printed help or the version.
    if (!(error instanceof CommanderError)) throw error;
  }
  return asked;
}

/** Puts `--` before curl's first word if it is one such as `-vk`, of which commander would take the `v`. */
function protectCurlFlags(words: readonly string[], version: string): readonly string[] {
  const at = words.findIndex((word) => /^-(-$|[vVh].)/.test(word));
  if (at < 0 || words[at] === '--') return words;
  // It is curl's first word if those before it are no whole line yet: the URL is missing.
  const before = valueOrError(() => parseLine(words.slice(0, at), version));
  return before instanceof GwtokenError ? words.toSpliced(at, 0, '--') : words;
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

/** A command line that is read, and who is told what it asks for. */
interface Reading {
  readonly words: readonly string[];
  readonly version: string;
  called(command: Command, parser: Parser): void;
  printed(text: string): void;
}

/**
 * Makes the parser for a command line: only the commands that its words name get their flags, since all of
 * them would be a tenth of `--help`.
 */
export function createProgram(reading: Reading): Parser {
  const program = new Parser('gwtoken')
    .description('Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login')
    .usage('COMMAND [options]')
    .enablePositionalOptions()
    .optionsGroup('General:')
    .helpOption('-h, --help', 'show this help')
    // Without the values that completion offers, or a default.
    .configureHelp({ optionDescription: ({ description }) => description })
    .configureOutput({
      writeOut: reading.printed,
      writeErr() {},
      // commander would read `process.stdout`, which takes 4 ms to make.
      getOutHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
    });
  addCommonFlags(program, reading.version);
  addCommands(program, COMMANDS, reading);
  // After the commands, which inherit the above. Here each has one line: a terminal has 24, with its prompt.
  return program
    .configureHelp({ subcommandTerm: (parser) => parser.name(), visibleOptions: () => [] })
    .addHelpText('after', `\n${LEARN_MORE}\n  ${Object.keys(TOPICS).join(', ')}`);
}

function addCommands(parent: Parser, commands: readonly Command[], reading: Reading): void {
  for (const command of commands) {
    const { name, args, summary, group, flags, subcommands = [], passThrough } = command;
    // Help itself is not listed, since the last lines of the main help name it.
    const parser = parent
      .command([name, args].filter(Boolean).join(' '), { hidden: name === 'help' })
      .summary(summary)
      .helpCommand(false);
    if (group !== undefined) parser.helpGroup(group);
    if (!reading.words.includes(name)) continue;
    for (const { spec, help, group, values } of flags) {
      const option = new Option(spec, help).helpGroup(group);
      // Not `choices()`: whether a value is right, its setting or format says.
      if (values && option.required) option.argChoices = [...values];
      parser.addOption(option);
    }
    if (subcommands.length === 0) parser.optionsGroup(VERBOSE.group).option(VERBOSE.spec, VERBOSE.help);
    addCommonFlags(parser, reading.version);
    addCommands(parser, subcommands, reading);
    layOut(parser, command);
    if (passThrough) parser.passThroughOptions().allowUnknownOption(passThrough === 'flags');
    // Without a subcommand `config` is an error of commander's.
    if (subcommands.length === 0) parser.action(() => reading.called(command, parser));
  }
}

/** Adds `--version`, and usage errors that name this command. */
function addCommonFlags(parser: Parser, version: string): void {
  parser
    .optionsGroup('General:')
    .version(version, '-V, --version', 'print the version')
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, parser);
    });
}

/** Returns the flags that are on the command line, `--no-NAME` as NAME: false; no defaults of commander's. */
function givenFlags(parser: Parser): FlagValues {
  const given = parser.options.filter((each) => parser.getOptionValueSource(each.attributeName()) === 'cli');
  return Object.fromEntries(
    given.map((each) => [each.name().replace(/^no-/, ''), parser.getOptionValue(each.attributeName())]),
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
