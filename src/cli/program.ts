/**
 * Builds commander's parser from the grammar: it reads gwtoken's own flags, and lays out the help. In the
 * help, commander lists commands and flags; examples stand above them, topics below.
 */
import { CommanderError, Option, Command as Parser } from 'commander';
import { HELP, VERBOSE, VERSION } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { alignRows } from '../commands/report';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { type Line, splitLine } from './line';
import { TOPICS, topicAsText, topicText } from './topics';
import { checkArguments, checkNames, flagError } from './usage-error';

const WIDTH = 80;
const LEARN_MORE = 'Every command takes --help, --verbose and --version. Topics of gwtoken help:';

/** A parsed command line: a command with its flags, or only a text. */
interface ParsedLine {
  readonly command?: Command;
  /** Flags that were given; none has a default here. */
  readonly flags: FlagValues;
  /** Text that `--help` or `--version` prints; empty for a command. */
  readonly text: string;
}

/** Parses the flags of a command line and checks its arguments. Throws a `usage` error if one is invalid. */
export function parseLine(line: Line, version: string): ParsedLine {
  checkNames(line);
  let parsed: ParsedLine = { flags: {}, text: '' };
  const program = createProgram({
    path: line.path,
    version,
    onCommand(command, parser) {
      checkArguments(line);
      parsed = { ...parsed, command, flags: givenFlags(parser) };
    },
    onOutput(text) {
      parsed = { ...parsed, text: parsed.text + text };
    },
  });
  const flags = isBare(line) ? ['--help'] : line.flags.flatMap(({ words }) => words);
  try {
    program.parse([...line.path.map(({ name }) => name), ...flags], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander throws after it has printed help or the version.
    if (error.exitCode !== 0) throw flagError(error, line);
  }
  return parsed;
}

/** Returns whether nothing follows `gwtoken`, `gwtoken config` or `gwtoken completion`, which then show help. */
export function isBare({ path, flags, args, program }: Line): boolean {
  const command = path.at(-1);
  const showsHelp = !command || command.subcommands || command.name === 'completion';
  return Boolean(showsHelp) && flags.length + args.length + program.length === 0;
}

/** Returns what `gwtoken help NAMES` shows: the help of the program or of a command, or a topic. */
export async function helpOf(
  names: readonly string[],
  { version, terminal }: Pick<World, 'version' | 'terminal'>,
): Promise<string> {
  const line = splitLine([...names, '--help']);
  if (line.path.length === names.length) return parseLine(line, version).text;
  return topicAsText(await topicText(names), await terminal.paint('stdout'));
}

/** The command that a parser is made for, and the parser's callbacks. */
interface ProgramOptions {
  readonly path: readonly Command[];
  /** Text for `--version`. */
  readonly version: string;
  onCommand(command: Command, parser: Parser): void;
  onOutput(text: string): void;
}

/**
 * Creates the parser. Only the named command gets its flags: adding all flags would take a tenth of the time
 * of `--help`.
 */
function createProgram(options: ProgramOptions): Parser {
  const program = new Parser('gwtoken')
    .description('Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login')
    .usage('COMMAND [options]')
    .enablePositionalOptions()
    .optionsGroup('General:')
    .helpOption(HELP.spec, HELP.help)
    .exitOverride()
    // commander would add the values that completion offers.
    .configureHelp({ optionDescription: ({ description }) => description })
    .configureOutput({
      writeOut: options.onOutput,
      writeErr() {},
      // commander would read `process.stdout`, which takes 4 ms to make.
      getOutHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
    });
  program.version(options.version, VERSION.spec, VERSION.help);
  addCommands(program, COMMANDS, options);
  // Gives the main help one line for each command, so that it fits a terminal of 24 lines. The commands exist
  // by now and do not inherit this.
  return program
    .configureHelp({ subcommandTerm: (parser) => parser.name(), visibleOptions: () => [] })
    .addHelpText('after', `\n${LEARN_MORE}\n  ${Object.keys(TOPICS).join(', ')}`);
}

function addCommands(parent: Parser, commands: readonly Command[], options: ProgramOptions): void {
  for (const command of commands) {
    const { name, args, summary, group, flags, subcommands = [] } = command;
    const parser = parent.command(name).summary(summary).helpCommand(false);
    if (group !== undefined) parser.helpGroup(group);
    if (!options.path.includes(command)) continue;
    const ownFlags = subcommands.length === 0 ? [...flags, VERBOSE] : flags;
    for (const { spec, help, group } of ownFlags) parser.addOption(new Option(spec, help).helpGroup(group));
    parser.optionsGroup('General:').version(options.version, VERSION.spec, VERSION.help);
    addCommands(parser, subcommands, options);
    layOut(parser, command);
    // commander gets no arguments, so the usage line does not come from it.
    if (args !== undefined) parser.usage(`[options] ${args}`);
    // `config` has no action, so commander rejects it without a subcommand.
    if (subcommands.length === 0) parser.action(() => options.onCommand(command, parser));
  }
}

/** Returns the flags that were given, without commander's defaults. `--no-NAME` becomes NAME: false. */
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
