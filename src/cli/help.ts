/** How help is laid out: commander lists what it knows of, in 80 columns, and our own lines stand below. */
import type { Command as Parser } from 'commander';
import { columns } from '../commands/columns';
import type { Command } from '../commands/command';
import { helpCommand } from '../commands/help';
import type { Flag } from '../flags';
import { TOPICS } from '../topics/topics';
import { helpAbove, helpBelow } from './help-text';

const ABOUT = `Get OAuth 2.0 access tokens (client credentials) for the API gateway and its
sandbox. New here? Run gwtoken login, then gwtoken get.`;

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
