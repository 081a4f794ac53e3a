/** The grammar: commander's program, built from the table of commands. */

import { Option, Command as Parser } from 'commander';
import { COMMANDS } from '../commands/all';
import type { Command } from '../commands/command';
import { type Flag, helpOf, spellings } from '../commands/flags';
import { helpCommand } from '../commands/help';
import type { FlagValues } from '../settings/table';
import type { Terminal, World } from '../world';
import { FLAG_GROUPS, layOut, layOutEntry, layOutProgram } from './help';
import { topicAsText, topicText } from './topics';
import { usageError } from './usage-error';

/** Runs a command with the flags and arguments that were parsed for it; no flag has a default here. */
export type Execute = (command: Command, flags: FlagValues, args: readonly string[]) => Promise<void>;

interface Building {
  readonly world: Pick<World, 'version' | 'stdout' | 'stderr'> & {
    readonly terminal: Pick<Terminal, 'paint'>;
  };
  readonly execute: Execute;
  /** Parsers that get flags and an action only once their command is chosen: `--help` is 9 % faster. */
  readonly bare: Map<Parser, Command>;
}

/** Makes the parser. It rejects with a `usage` error, or a CommanderError once help or version is printed. */
export function createProgram(world: Building['world'], execute: Execute): Parser {
  const building: Building = { world, execute, bare: new Map() };
  const program = new Parser('gwtoken').enablePositionalOptions().configureOutput({
    writeOut: (text) => world.stdout.write(text),
    writeErr: () => {},
    // commander would read `process.stdout`, which takes 4 ms to make.
    getOutHelpWidth: () => 80,
    getErrHelpWidth: () => 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  addCommonFlags(program, building);
  addCommands(program, COMMANDS, building);
  layOutProgram(program);
  return program;
}

function addCommands(parent: Parser, commands: readonly Command[], building: Building): void {
  for (const command of commands) {
    // Not listed, since the last lines of the main help name it.
    const options = { hidden: command === helpCommand };
    const parser = parent.command([command.name, command.args].filter(Boolean).join(' '), options);
    layOutEntry(parser, command);
    building.bare.set(parser, command);
  }
  parent.hook('preSubcommand', (_, chosen) => equip(chosen, building));
}

/** Gives a chosen command's parser its flags, its subcommands and its action. */
function equip(parser: Parser, building: Building): void {
  const { world, execute, bare } = building;
  const command = bare.get(parser);
  if (command === undefined) return;
  bare.delete(parser);
  layOut(parser, command);
  if (command.passThrough) parser.passThroughOptions();
  if (command.passThrough === 'flags') parser.allowUnknownOption();
  if (command.evaluated) {
    // Only once there is help to print: to find out if stdout is a terminal costs 2 ms.
    parser.configureOutput({
      writeOut: (text) => (world.stdout.isTTY() ? world.stdout : world.stderr).write(text),
    });
  }
  for (const flag of command.flags) for (const option of optionsOf(flag)) parser.addOption(option);
  addCommonFlags(parser, building);
  addCommands(parser, command.subcommands ?? [], building);
  // A command that only has subcommands (`config`) gets no action: without one of them it is an error.
  if (command.run || command === helpCommand)
    parser.action(async () => {
      await execute(command, flagsOf(parser), parser.args);
      if (command === helpCommand) await showHelp(parser.args, parser, building);
    });
}

/** Shows the help of the program, of a command or a subcommand, or a topic. */
async function showHelp(names: readonly string[], help: Parser, building: Building): Promise<void> {
  let named = help.parent ?? undefined;
  for (const name of names) {
    named = named?.commands.find((each) => each.name() === name);
    if (named) equip(named, building);
  }
  // Nobody evaluates this, though it may be the help of a command whose output is evaluated.
  if (named)
    return named.configureOutput({ writeOut: (text) => building.world.stdout.write(text) }).outputHelp();
  const commands = COMMANDS.map(({ name }) => name);
  const { stdout, terminal } = building.world;
  const markdown = await topicText(names, commands);
  stdout.write(topicAsText(markdown, await terminal.paint('stdout')));
}

/** Adds `--version` and `--help`, and usage errors that name this command. */
function addCommonFlags(parser: Parser, { world }: Building): void {
  parser
    .optionsGroup(FLAG_GROUPS.general)
    .version(world.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : usageError(error, parser);
    });
}

function optionsOf(flag: Flag): Option[] {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  const value = flag.value === undefined ? '' : ` <${flag.value}>`;
  return spellings(flag).map((name) =>
    new Option(`${short}${name}${value}`, helpOf(flag, name)).helpGroup(FLAG_GROUPS[flag.group]),
  );
}

/** Reads the flags that are on the command line, `--no-NAME` as NAME: false; no defaults of commander's. */
function flagsOf(parser: Parser): FlagValues {
  const values: Record<string, string | boolean> = {};
  for (const option of parser.options) {
    const key = option.attributeName();
    if (parser.getOptionValueSource(key) === 'cli')
      values[option.name().replace(/^no-/, '')] = parser.getOptionValue(key);
  }
  return values;
}
