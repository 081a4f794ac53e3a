/** The layout of help: commander lists commands and flags; examples stand above, topics below. */
import type { Command as Parser } from 'commander';
import type { Command } from '../commands/grammar';
import { alignRows } from '../commands/report';
import type { World } from '../world';
import { TOPICS, topicAsText, topicText } from './topics';

const WIDTH = 80;

/** Lays out the main help, for a terminal of 24 lines with its prompt. */
export function layOutProgram(program: Parser): void {
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
export function layOut(parser: Parser, { name, summary, examples, flags }: Command): void {
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
