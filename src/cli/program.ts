/**
 * commander's program, built from the grammar, with its help: commander lists commands and flags, examples
 * stand above, topics below. Errors and completion read it too; it is the only table.
 */
import { Option, Command as Parser } from 'commander';
import { COMMANDS, type Command } from '../commands/grammar';
import { alignRows } from '../commands/report';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { TOPICS, topicAsText, topicText } from './topics';
import { usageError } from './usage-error';

const WIDTH = 80;

/** Runs a command with the flags and arguments that were parsed for it; no flag has a default here. */
type Execute = (command: Command, flags: FlagValues, args: readonly string[]) => Promise<void>;

interface Building {
  readonly version: string;
  /** Takes help and version. */
  print(text: string): void;
  readonly execute: Execute;
}

/**
 * Makes the parser for a command line: only the commands that its words name get their flags, since all of
 * them would be a tenth of `--help`. It rejects with a `usage` error, or a CommanderError once help or the
 * version is printed.
 */
export function createProgram(argv: readonly string[], building: Building): Parser {
  const program = new Parser('gwtoken')
    .enablePositionalOptions()
    .optionsGroup('General:')
    .helpOption('-h, --help', 'show this help')
    // Without the values that completion offers, or a default.
    .configureHelp({ optionDescription: ({ description }) => description })
    .configureOutput({
      writeOut: building.print,
      writeErr: () => {},
      // commander would read `process.stdout`, which takes 4 ms to make.
      getOutHelpWidth: () => WIDTH,
      getErrHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  addCommonFlags(program, building);
  addCommands(program, COMMANDS, argv, building);
  layOutProgram(program);
  return program;
}

function addCommands(
  parent: Parser,
  commands: readonly Command[],
  argv: readonly string[],
  building: Building,
): void {
  for (const command of commands) {
    const { name, args, summary, group, flags, subcommands = [], passThrough } = command;
    // Help itself is not listed, since the last lines of the main help name it.
    const parser = parent
      .command([name, args].filter(Boolean).join(' '), { hidden: name === 'help' })
      .summary(summary)
      .helpCommand(false);
    if (group !== undefined) parser.helpGroup(group);
    if (!argv.includes(name)) continue;
    for (const { spec, help, group, values } of flags) {
      const option = new Option(spec, help).helpGroup(group);
      // Not `choices()`: whether a value is right, its setting or format says.
      if (values) option.argChoices = [...values];
      parser.addOption(option);
    }
    addCommonFlags(parser, building);
    addCommands(parser, subcommands, argv, building);
    layOut(parser, command);
    if (passThrough) parser.passThroughOptions().allowUnknownOption(passThrough === 'flags');
    // Without a subcommand `config` is an error of commander's.
    if (subcommands.length === 0)
      parser.action(() => building.execute(command, givenFlags(parser), parser.args));
  }
}

/** Adds `--version`, and usage errors that name this command. */
function addCommonFlags(parser: Parser, { version }: Building): void {
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

/** Lays out the main help, for a terminal of 24 lines with its prompt. */
function layOutProgram(program: Parser): void {
  program
    .description('Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login')
    .usage('COMMAND [options]')
    .configureHelp({ subcommandTerm: (parser) => parser.name(), visibleOptions: () => [] })
    .addHelpText(
      'after',
      `\nLearn more: gwtoken COMMAND --help, gwtoken help TOPIC. Topics:\n  ${Object.keys(TOPICS).join(', ')}`,
    );
}

/** Lays out the help of one command. */
function layOut(parser: Parser, { name, summary, examples, flags }: Command): void {
  const lines = exampleLines(Object.entries(examples));
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

/** Returns each example beside what it does, or above that if a line would be too long. */
function exampleLines(examples: readonly [line: string, does: string][]): string[] {
  const aligned = alignRows(examples.map(([line, does]) => [`  ${line}`, does]));
  if (aligned.every((line) => line.length <= WIDTH)) return aligned;
  return examples.flatMap(([line, does]) => [`  ${line}`, `      ${does}`]);
}

/** Prints what `gwtoken help NAMES` asks for: the help of the program or of a command, or a topic. */
export async function showHelp(
  names: readonly string[],
  program: Parser,
  print: (text: string) => void,
  { terminal }: Pick<World, 'terminal'>,
): Promise<void> {
  let named: Parser | undefined = program;
  for (const name of names) named = named?.commands.find((each) => each.name() === name);
  if (named) return named.outputHelp();
  const commands = program.commands.map((each) => each.name());
  print(topicAsText(await topicText(names, commands), await terminal.paint('stdout')));
}
