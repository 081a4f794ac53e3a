/** commander's program, built from the grammar. Help, errors and completion read it; it is the only table. */
import { Option, Command as Parser } from 'commander';
import { COMMANDS, type Command } from '../commands/grammar';
import type { FlagValues } from '../settings/table';
import { layOut, layOutProgram } from './help';
import { usageError } from './usage-error';

/** Runs a command with the flags and arguments that were parsed for it; no flag has a default here. */
export type Execute = (command: Command, flags: FlagValues, args: readonly string[]) => Promise<void>;

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
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
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
