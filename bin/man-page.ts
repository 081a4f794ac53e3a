/**
 * The man page, as Markdown: the help of each command from the table of verbs, then the topics. remark-man makes roff
 * of it. (marked-man lost: it escapes quotes in code as HTML, and keeps the line ends of paragraphs.)
 */

import { exitCodesOf, sentence, settingsOf, spelling } from '../src/cli/help-text';
import { VERBS } from '../src/commands/all';
import type { Verb } from '../src/commands/command';
import { EXIT_TEXTS } from '../src/errors';
import type { Flag } from '../src/flags';
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
    ...VERBS.flatMap((verb) => command(verb)),
    '### `gwtoken help` [*COMMAND*|*TOPIC*]',
    `Shows the help of a command, or a topic: ${Object.keys(TOPICS).join(', ')}. The topics stand below.`,
    ...topics.map(asSection),
  ].join('\n\n');
}

function command(verb: Verb, above = 'gwtoken'): string[] {
  const name = `${above} ${verb.name}`;
  const usage = [`\`${name}\``, ...(verb.flags.length > 0 ? ['[*options*]'] : []), escaped(verb.args ?? '')];
  const settings = settingsOf(verb).map((flag) => `\`${spelling(flag)}\``);
  const own = [
    `### ${usage.join(' ').trim()}`,
    sentence(verb.summary),
    ...verb.flags.map((flag) => `- ${spellings(flag)}: ${flag.help}`),
    ...(settings.length > 0
      ? [`For ${settings.join(', ')} there are variables and config keys: SETTINGS, below.`]
      : []),
    ...(verb.examples ?? []).map(({ line, does }) => `${sentence(does)}\n\n    ${line}`),
    `Exit codes: ${exitCodesOf(verb)
      .map((code) => `${code} ${EXIT_TEXTS[code]}`)
      .join('; ')}.`,
  ];
  const parts = verb.run === undefined ? own.slice(0, 2) : own;
  return [...parts, ...(verb.verbs ?? []).flatMap((child) => command(child, name))];
}

function spellings(flag: Flag): string {
  const { name, short, value, negative } = flag;
  const all = [
    ...(short === undefined ? [] : [`-${short}`]),
    spelling(flag),
    ...(negative === 'also' ? [`--no-${name}`] : []),
  ];
  return `${all.map((each) => `\`${each}\``).join(', ')}${value === undefined ? '' : ` *${value}*`}`;
}

/** `<key>` is HTML in Markdown. */
function escaped(args: string): string {
  return args.replace(/[<[]([^>\]]+)[>\]]/g, '*$1*');
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
