/** The help of the program, of each command and of the topics. commander lays out flags and commands. */
import { Command as Layout, Option } from 'commander';
import { COMMON_FLAGS, type Flag } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { alignRows } from '../commands/report';
import { capitalized } from '../text';
import type { World } from '../world';
import { TOPICS, topicAsText, topicText } from './topics';

/** Returns what `gwtoken help NAMES` shows: the help of the program or of a command, or a topic. */
export async function helpOf(
  names: readonly string[],
  { terminal, repository }: Pick<World, 'terminal' | 'repository'>,
): Promise<string> {
  const path = commandsNamed(names);
  if (path.length === names.length) return helpText(path, repository);
  return topicAsText(await topicText(names), await terminal.paint('stdout'));
}

function commandsNamed([name, ...names]: readonly string[], commands = COMMANDS): readonly Command[] {
  const command = commands.find((each) => each.name === name);
  return command ? [command, ...commandsNamed(names, command.subcommands ?? [])] : [];
}

/** Returns the help of the program, or of the last command of a path. */
export function helpText(path: readonly Command[], repository: World['repository']): string {
  const command = path.at(-1);
  return command ? commandHelp(path, command) : programHelp(repository);
}

/** Returns the help of the program: one line for each command, so that it fits a terminal of 24 lines. */
function programHelp(repository: World['repository']): string {
  return `${layOut({
    usage: 'COMMAND [options]',
    description: 'Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login',
    flags: [],
    commands: COMMANDS,
  })}
Every command takes --help, --verbose and --version. Topics of gwtoken help:
  ${Object.keys(TOPICS).join(', ')}
${repository === null ? '' : `Releases and bugs: ${repository}\n`}`;
}

function commandHelp(path: readonly Command[], command: Command): string {
  const { name, args, summary, examples, flags, subcommands } = command;
  const usage = [...path.map((each) => each.name), subcommands ? 'COMMAND' : '', '[options]', args];
  const exampleLines = Object.entries(examples).map(([line, does]) => `  ${line}\n      ${does}`);
  const topics = Object.entries(TOPICS).map(([topic, about]) => [`  ${topic}`, about.summary]);
  const hasSettings = flags.some(({ row }) => row);
  return [
    layOut({
      usage: usage.filter(Boolean).join(' '),
      description: [`${capitalized(summary)}.`, '', 'Examples:', ...exampleLines].join('\n'),
      flags: [...flags, ...COMMON_FLAGS],
      commands: subcommands ?? [],
    }),
    ...(name === 'help' ? ['Help topics:', ...alignRows(topics), ''] : []),
    ...(hasSettings ? ['Variables and config keys: gwtoken help settings'] : []),
    'Exit codes: gwtoken help exit-codes\n',
  ].join('\n');
}

interface Parts {
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  readonly commands: readonly Command[];
}

/** Returns a help, laid out by commander. It parses no line. */
function layOut({ usage, description, flags, commands }: Parts): string {
  const layout = new Layout('gwtoken')
    .usage(usage)
    .description(description)
    .helpOption(false)
    .helpCommand(false)
    // commander would list the defaults and values that completion offers, and the commands' flags.
    .configureHelp({
      optionDescription: (option) => option.description,
      subcommandTerm: (command) => command.name(),
    })
    // commander would read `process.stdout`, which takes 4 ms to make.
    .configureOutput({ getOutHelpWidth: () => 80, getOutHasColors: () => false });
  for (const { spec, help, group } of flags) layout.addOption(new Option(spec, help).helpGroup(group));
  for (const { name, summary, group = 'Commands:' } of commands)
    layout.command(name).summary(summary).helpGroup(group);
  return layout.helpInformation();
}
