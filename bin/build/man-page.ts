/**
 * The man page, as Markdown, with the sections that people know: commands and options from their tables, what
 * there is to say of variables, files, exit codes and security from the topics. remark-man makes roff of it.
 * (marked-man lost: it escapes quotes in code as HTML, and keeps the line ends of paragraphs.)
 */

import { sentence } from '../../src/cli/help';
import { TOPICS } from '../../src/cli/topics';
import { CLIENT_FLAGS, FETCH_FLAGS, type Flag, VERBOSE } from '../../src/commands/flags';
import { COMMANDS, type Command } from '../../src/commands/grammar';
import { equivalents } from '../../src/settings/table';

const SHARED = new Set([...CLIENT_FLAGS, ...FETCH_FLAGS, VERBOSE]);

export async function manPage(): Promise<string> {
  const text = async (topic: keyof typeof TOPICS) => (await TOPICS[topic]?.text()) ?? '';
  const [settings, exitCodes, security] = [
    await text('settings'),
    await text('exit-codes'),
    await text('security'),
  ];
  return [
    '## SYNOPSIS',
    COMMANDS.map(synopsis).join('\n'),
    '## DESCRIPTION',
    'gwtoken gets OAuth 2.0 access tokens (client-credentials grant) for an API gateway and its sandbox, ' +
      'in the regions `eu` and `us`. It stores client secrets in the system keychain, caches tokens, and ' +
      'passes them to your shell, script or program.',
    'To start, run `gwtoken login` once; then `gwtoken get` prints a token.',
    '## COMMANDS',
    'Options that several commands share are described under OPTIONS.',
    ...COMMANDS.flatMap((command) => commandSection(command)),
    '## OPTIONS',
    '### Which client',
    `For ${commandsWith(CLIENT_FLAGS)}.`,
    optionList(CLIENT_FLAGS),
    '### Token request',
    `For ${commandsWith(FETCH_FLAGS)}.`,
    optionList(FETCH_FLAGS),
    '### General',
    [optionList([VERBOSE]), '- `-h`, `--help`: show help', '- `-V`, `--version`: print the version'].join(
      '\n',
    ),
    '## ENVIRONMENT',
    'An option overrides its environment variable, which overrides the config file. ' +
      'An empty variable counts as unset.',
    ...['The auth URL', 'Credentials', 'Other variables'].map((heading) => part(settings, heading)),
    '## FILES',
    withoutTitle(part(settings, 'Directories')),
    '`config.json` in the config directory contains the settings, `clients.json` the list of stored ' +
      'clients, without secrets. The cache directory contains one file per client with its token.',
    part(settings, 'The config file'),
    '## EXIT STATUS',
    withoutTitle(asMan(exitCodes.slice(0, exitCodes.indexOf('## Signals')))),
    part(exitCodes, 'Signals'),
    '## EXAMPLES',
    ...COMMANDS.flatMap(({ examples }) => Object.entries(examples)).map(
      ([line, does]) => `${sentence(does)}\n\n    ${line}`,
    ),
    '## SECURITY',
    withoutTitle(asMan(security)),
    '## SEE ALSO',
    'More about each of these: `gwtoken help` *TOPIC*.',
    Object.entries(TOPICS)
      .map(([name, { summary }]) => `- \`${name}\`: ${summary}`)
      .join('\n'),
  ].join('\n\n');
}

function commandSection(command: Command, above = 'gwtoken'): string[] {
  const name = `${above} ${command.name}`;
  const own = command.flags.filter((flag) => !SHARED.has(flag));
  return [
    `### \`${name}\` ${emphasised(usageOf(command))}`.trim(),
    sentence(command.summary),
    optionList(own),
    ...(command.subcommands ?? []).flatMap((child) => commandSection(child, name)),
  ];
}

/** A line of code: the arguments in capitals, since nothing is emphasised there. */
function synopsis(command: Command): string {
  const { name, subcommands } = command;
  const usage = subcommands ? subcommands.map((each) => each.name).join('|') : usageOf(command);
  const args = usage.replace(/<([^>|]+)>|(\[\w+\.{3}\])/g, (_, one: string, many: string) =>
    (one ?? many).toUpperCase(),
  );
  return `    gwtoken ${name} ${args}`;
}

function usageOf({ flags, args = '', passThrough }: Command): string {
  const options = flags.length > 0 ? '[options]' : '';
  return [options, passThrough ? '--' : '', args].filter(Boolean).join(' ');
}

/** The commands that take all these flags. */
function commandsWith(flags: readonly Flag[]): string {
  const names = COMMANDS.filter((command) => flags.every((flag) => command.flags.includes(flag)));
  return names.map(({ name }) => `\`${name}\``).join(', ');
}

function optionList(flags: readonly Flag[]): string {
  return flags
    .map((flag) => {
      const [variable, key] = flag.setting ? equivalents(flag.setting) : [];
      const same = variable === undefined ? '' : ` (\`${variable}\`; config key \`${key}\`)`;
      return `- ${typed(flag)}: ${flag.help}${same}`;
    })
    .join('\n');
}

function typed({ spec }: Flag): string {
  const [names = '', value] = spec.split(/ <|>/);
  const all = names.split(', ').map((name) => `\`${name}\``);
  return `${all.join(', ')}${value === undefined ? '' : ` *${value}*`}`;
}

/** `<key> [value]` as `*key* [*value*]`: the first would be HTML in Markdown. */
function emphasised(usage: string): string {
  return usage.replace(/<([^>]+)>/g, '*$1*').replace(/\[([^\]]+)\]/g, '[*$1*]');
}

/** A section of a topic, with its heading. */
function part(topic: string, heading: string): string {
  const found = topic.split(/^(?=## )/m).find((section) => section.startsWith(`## ${heading}\n`));
  if (found === undefined) throw new Error(`there is no section ${heading}`);
  return asMan(found);
}

/**
 * A topic's headings one level down, its tables as lists, and what it leads to left out: SEE ALSO has that.
 */
function asMan(topic: string): string {
  return topic
    .replace(/^See also: [\s\S]*?(?=\n\n|$(?![\s\S]))/m, '')
    .replace(/^## /gm, '### ')
    .replace(/(?:^\|.*\n)+/gm, asList)
    .trim();
}

function withoutTitle(section: string): string {
  return section.replace(/^#+ .*\n+/, '');
}

/** A table has no room between the margins of a man page: each row becomes an item that names its columns. */
function asList(table: string): string {
  const [head = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const named = (cell: string, column: number): string =>
    head.length === 2 || (column === 1 && head[0] === 'code')
      ? cell
      : `${head[column]?.replace('?', ':')} ${cell}`;
  return rows
    .map(([first = '', ...cells]) => {
      const told = cells.map((cell, index) => (cell === '' ? '' : named(cell, index + 1))).filter(Boolean);
      return `- ${first.startsWith('`') ? first : `**${first}**`}: ${told.join(', ')}\n`;
    })
    .join('');
}
