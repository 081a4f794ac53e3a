/** The layout of help: commander lists commands and flags, in 80 columns; examples stand above, topics below. */
import type { Command as Parser } from 'commander';
import type { Command } from '../commands/command';
import type { Flag } from '../commands/flags';
import { helpCommand } from '../commands/help';
import { columns } from '../commands/report';
import { TOPICS } from './topics';

const WIDTH = 80;

/** What the command does, and below it its examples, since they are what most people look for. */
export function helpAbove({ summary, examples = [] }: Command): string {
  const rows = examples.map(({ line, does }) => [`  ${line}`, does]);
  const aligned = columns(rows);
  const lines = aligned.some((line) => line.length > WIDTH)
    ? rows.flatMap(([line = '', does = '']) => [line, `      ${does}`])
    : aligned;
  return [sentence(summary), '', 'Examples:', ...lines].join('\n');
}

/** Where the rest is; it would be the same below most commands. */
export function helpBelow({ flags }: Command): string {
  const topics = [
    ...(flags.some(({ setting }) => setting) ? ['Variables and config keys: gwtoken help environment'] : []),
    'Exit codes: gwtoken help exit-codes',
  ];
  return `\n${topics.join('\n')}`;
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

const ABOUT = 'Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login';

const COMMAND_GROUPS: Record<NonNullable<Command['group']>, string> = {
  token: 'Get a token:',
  client: 'Manage clients:',
  setup: 'Setup and troubleshooting:',
};

export const GENERAL = 'General:';
export const FLAG_GROUPS: Record<Flag['group'], string> = {
  client: 'Client:',
  fetch: 'Request:',
  output: 'Output:',
  general: GENERAL,
};

/** What all help has in common; parsers made after this inherit it. */
export function layOutAll(program: Parser): void {
  program
    .optionsGroup(GENERAL)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({
      // In the order of the table, but what every command has comes last.
      groupItems: (all, visible, groupOf) => {
        const groups = new Map(all.map((item) => [groupOf(item), [] as typeof all]));
        if (groups.delete(GENERAL)) groups.set(GENERAL, []);
        for (const item of visible) groups.get(groupOf(item))?.push(item);
        return groups;
      },
    });
}

/** The program's own help, on one screen of 24 lines: what more there is to a command is in the command's help. */
export function layOutProgram(program: Parser): void {
  program
    .description(ABOUT)
    .usage('COMMAND [options]')
    .configureHelp({
      subcommandTerm: (parser) => parser.name(),
      visibleOptions: () => [],
    })
    .addHelpText(
      'after',
      [
        '',
        'Learn more: gwtoken COMMAND --help, gwtoken help TOPIC. Topics:',
        `  ${Object.keys(TOPICS).join(', ')}`,
      ].join('\n'),
    );
}

/** The line of a command in the help of the one above it. */
export function list(parser: Parser, { summary, group }: Command): void {
  parser.summary(summary).helpCommand(false);
  if (group !== undefined) parser.helpGroup(COMMAND_GROUPS[group]);
}

/** The help of one command. */
export function layOut(parser: Parser, command: Command): void {
  parser.description(helpAbove(command));
  if (command.usage !== undefined) parser.usage(command.usage);
  if (command === helpCommand) {
    const topics = Object.entries(TOPICS).map(([name, { summary }]) => [`  ${name}`, summary]);
    parser.addHelpText('after', ['', 'Help topics:', ...columns(topics)].join('\n'));
  }
  parser.addHelpText('after', () => helpBelow(command));
}
