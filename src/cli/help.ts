/** The layout of help: commander lists commands and flags; examples stand above, topics below. */
import type { Command as Parser } from 'commander';
import type { Command } from '../commands/command';
import type { Flag } from '../commands/flags';
import { helpCommand } from '../commands/help';
import { alignRows } from '../commands/report';
import { TOPICS } from './topics';

const WIDTH = 80;

/** Returns the summary and the examples, which most people look for and so stand above the flags. */
function helpAbove({ summary, examples = [] }: Command): string {
  const rows = examples.map(({ line, does }) => [`  ${line}`, does]);
  const aligned = alignRows(rows);
  const lines = aligned.some((line) => line.length > WIDTH)
    ? rows.flatMap(([line = '', does = '']) => [line, `      ${does}`])
    : aligned;
  return [sentence(summary), '', 'Examples:', ...lines].join('\n');
}

/** Returns a summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

const ABOUT = 'Get OAuth 2.0 access tokens for the API gateway. To begin: gwtoken login';

const COMMAND_GROUPS: Record<NonNullable<Command['group']>, string> = {
  token: 'Get a token:',
  client: 'Manage clients:',
  setup: 'Setup and troubleshooting:',
};

export const FLAG_GROUPS: Record<Flag['group'], string> = {
  client: 'Client:',
  fetch: 'Request:',
  output: 'Output:',
  general: 'General:',
};

/** Lays out the main help, for a terminal of 24 lines with its prompt and with room for one more command. */
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

/** Lays out a command's line in the help of the one above it. */
export function layOutEntry(parser: Parser, { summary, group }: Command): void {
  parser.summary(summary).helpCommand(false);
  if (group !== undefined) parser.helpGroup(COMMAND_GROUPS[group]);
}

/** Lays out the help of one command. */
export function layOut(parser: Parser, command: Command): void {
  parser.description(helpAbove(command));
  if (command.usage !== undefined) parser.usage(command.usage);
  if (command === helpCommand) {
    const topics = Object.entries(TOPICS).map(([name, { summary }]) => [`  ${name}`, summary]);
    parser.addHelpText('after', ['', 'Help topics:', ...alignRows(topics)].join('\n'));
  }
  const settings = command.flags.some(({ setting }) => setting)
    ? 'Variables and config keys: gwtoken help environment\n'
    : '';
  parser.addHelpText('after', `\n${settings}Exit codes: gwtoken help exit-codes`);
}
