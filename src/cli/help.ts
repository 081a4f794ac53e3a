/** The help of the program, of each command and of the topics. */
import { COMMON_FLAGS } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import type { World } from '../world';
import { splitLine } from './line';
import { TOPICS, topicAsText, topicText } from './topics';

/** Characters in a line of help. */
const WIDTH = 79;

/** A part of a help, as lines. */
type Section = readonly string[];

/** Returns what `gwtoken help NAMES` shows: the help of the program or of a command, or a topic. */
export async function helpOf(
  names: readonly string[],
  { terminal }: Pick<World, 'terminal'>,
): Promise<string> {
  const { path } = splitLine(names);
  if (path.length === names.length) return helpText(path);
  return topicAsText(await topicText(names), await terminal.paint('stdout'));
}

/** Returns the help of the program, or of the last command of a path. */
export function helpText(path: readonly Command[]): string {
  const command = path.at(-1);
  const sections = command ? commandHelp(path, command) : programHelp();
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Returns the help of the program: one line for each command, so that it fits a terminal of 24 lines. */
function programHelp(): readonly Section[] {
  return [
    ['Usage: gwtoken COMMAND [options]'],
    ['Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login'],
    ...commandLists(COMMANDS),
    [
      'Every command takes --help, --verbose and --version. Topics of gwtoken help:',
      `  ${Object.keys(TOPICS).join(', ')}`,
    ],
  ];
}

function commandHelp(path: readonly Command[], command: Command): readonly Section[] {
  const { name, args, summary, examples, flags, subcommands } = command;
  const usage = [...path.map((each) => each.name), subcommands ? 'COMMAND' : '', '[options]', args];
  const topics = name === 'help' ? Object.entries(TOPICS) : [];
  return [
    [`Usage: gwtoken ${usage.filter(Boolean).join(' ')}`],
    [sentence(summary)],
    ['Examples:', ...Object.entries(examples).flatMap(([line, does]) => [`  ${line}`, `      ${does}`])],
    ...lists([...flags, ...COMMON_FLAGS].map(({ group, spec, help }) => [group, spec, help])),
    ...commandLists(subcommands ?? []),
    ...lists(topics.map(([topic, about]) => ['Help topics:', topic, about.summary])),
    [
      ...(flags.some(({ setting }) => setting) ? ['Variables and config keys: gwtoken help settings'] : []),
      'Exit codes: gwtoken help exit-codes',
    ],
  ];
}

function commandLists(commands: readonly Command[]): readonly Section[] {
  return lists(commands.map(({ group = 'Commands:', name, summary }) => [group, name, summary]));
}

/** Returns the names and texts below their headings, all texts in one column. */
function lists(entries: readonly (readonly [heading: string, name: string, text: string])[]): Section[] {
  const width = Math.max(...entries.map(([, name]) => name.length));
  const textLine = new RegExp(`\\S.{0,${WIDTH - width - 5}}(?= |$)`, 'g');
  const linesOf = (name: string, text: string): string[] =>
    [...text.matchAll(textLine)].map(([line], at) => `  ${(at === 0 ? name : '').padEnd(width)}  ${line}`);
  return [...new Set(entries.map(([heading]) => heading))].map((heading) => [
    heading,
    ...entries.filter((entry) => entry[0] === heading).flatMap(([, name, text]) => linesOf(name, text)),
  ]);
}

/** Returns a summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
