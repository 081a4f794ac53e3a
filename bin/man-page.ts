/**
 * The man page, as Markdown: the help of each command from the table of commands, then the topics. remark-man makes
 * roff of it. (marked-man lost: it escapes quotes in code as HTML, and keeps the line ends of paragraphs.)
 */

import { exitCodesOf, sentence, settingsOf } from '../src/cli/help-text';
import { COMMANDS } from '../src/commands/all';
import type { Command } from '../src/commands/command';
import { EXIT_CODES } from '../src/exit-codes';
import { type Flag, spellings } from '../src/flags';
import { TOPICS } from '../src/topics/topics';

export async function manPage(): Promise<string> {
  const topics = await Promise.all(Object.values(TOPICS).map(({ text }) => text()));
  return [
    '## SYNOPSIS',
    '`gwtoken` *COMMAND* [*options*]',
    '## DESCRIPTION',
    'Fetches OAuth 2.0 client-credentials tokens for an API gateway and its sandbox, in the regions `eu` and `us`, ' +
      'keeps the client secrets in the keychain of the operating system, and hands the tokens to a shell, a script or ' +
      'a program.',
    'The first time, `gwtoken login` asks for all that is needed and keeps it; `gwtoken get` prints a token.',
    '## COMMANDS',
    ...COMMANDS.flatMap((each) => section(each)),
    ...topics.map(asSection),
  ].join('\n\n');
}

function section(command: Command, above = 'gwtoken'): string[] {
  const name = `${above} ${command.name}`;
  const options = command.flags.length > 0 ? ['[options]'] : [];
  const usage = command.usage ?? [...options, command.args ?? ''].join(' ');
  const settings = settingsOf(command).map(([flag]) => `\`${flag}\``);
  const own = [
    `### \`${name}\` ${emphasised(usage)}`.trim(),
    sentence(command.summary),
    ...command.flags.map((flag) => `- ${typed(flag)}: ${flag.help}`),
    ...(settings.length > 0
      ? [`For ${settings.join(', ')} there are variables and config keys: SETTINGS, below.`]
      : []),
    ...(command.examples ?? []).map(({ line, does }) => `${sentence(does)}\n\n    ${line}`),
    `Exit codes: ${exitCodesOf(command)
      .map((code) => `${code} ${EXIT_CODES[code].words}`)
      .join('; ')}.`,
  ];
  const parts = command.subcommands ? own.slice(0, 2) : own;
  return [...parts, ...(command.subcommands ?? []).flatMap((child) => section(child, name))];
}

function typed(flag: Flag): string {
  const { short, value } = flag;
  const all = [...(short === undefined ? [] : [`-${short}`]), ...spellings(flag)];
  return `${all.map((each) => `\`${each}\``).join(', ')}${value === undefined ? '' : ` *${value}*`}`;
}

/** `<key> [value]` as `*key* [*value*]`: the first would be HTML in Markdown. */
function emphasised(usage: string): string {
  return usage.replace(/<([^>]+)>/g, '*$1*').replace(/\[([^\]]+)\]/g, '[*$1*]');
}

/** A topic is a section here, its title in capitals and its headings below that; code stays as it is. */
function asSection(topic: string): string {
  return topic
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      return part
        .replace(/^## /gm, '### ')
        .replace(/^# (.*)/m, (_, title: string) => `## ${title.toUpperCase()}`)
        .replace(/(?:^\|.*\n)+/gm, asList);
    })
    .join('');
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
    head.length === 2 || (column === 1 && head[0] === 'code') ? cell : `${head[column]} ${cell}`;
  return rows
    .map(([first = '', ...cells]) => {
      const told = cells.map((cell, index) => (cell === '' ? '' : named(cell, index + 1))).filter(Boolean);
      return `- ${first}: ${told.join(', ')}\n`;
    })
    .join('');
}
