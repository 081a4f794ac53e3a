/** The man page, in roff: the help of each command, and the topics on settings and exit codes. */
import { readFileSync } from 'node:fs';
import { helpText } from '../../src/cli/help';
import { topicAsText } from '../../src/cli/topics';
import { COMMANDS, type Command } from '../../src/commands/grammar';
import type { World } from '../../src/world';

/** Returns the page; the date is that of the sources. */
export function manPage(
  {
    description,
    version,
    repository,
  }: { readonly description: string } & Pick<World, 'version' | 'repository'>,
  date: Date,
): string {
  const sections = {
    NAME: `gwtoken \\- ${escaped(description)}`,
    SYNOPSIS: escaped('gwtoken COMMAND [options]'),
    DESCRIPTION: verbatim(helpText([], repository)),
    COMMANDS: COMMANDS.map((command) => commandSection([command])).join('\n'),
    'SETTINGS, ENVIRONMENT AND FILES': topicSection('settings'),
    'EXIT STATUS': topicSection('exit-codes'),
  };
  const text = Object.entries(sections).map(([title, section]) => `.SH ${title}\n${section}\n`);
  const day = date.toISOString().slice(0, 10);
  return `.TH GWTOKEN 1 ${day} "gwtoken ${version}"\n.nh\n.ad l\n${text.join('')}`;
}

function commandSection(path: readonly Command[]): string {
  const title = `.SS gwtoken ${path.map(({ name }) => name).join(' ')}`;
  const { subcommands = [] } = path.at(-1)!;
  return [
    title,
    verbatim(helpText(path, null)),
    ...subcommands.map((each) => commandSection([...path, each])),
  ].join('\n');
}

function topicSection(name: string): string {
  const markdown = readFileSync(new URL(`../../src/cli/topics/${name}.md`, import.meta.url), 'utf8');
  const plain = (text: string): string => text;
  return verbatim(topicAsText(markdown.replace(/^# .*\n\n/, ''), { bold: plain, cyan: plain }));
}

/** Returns lines that stay as they are. They begin at the edge, because they are up to 80 columns wide. */
function verbatim(text: string): string {
  return `.nf\n.in 0\n${escaped(text.trimEnd())}\n.in\n.fi`;
}

/** Escapes a text for roff, so that each character is literal and no line is a request. */
function escaped(text: string): string {
  const glyph = (sign: string) => `\\[u00${sign.charCodeAt(0).toString(16).toUpperCase()}]`;
  return text.replace(/[\\\-'`^~]/g, glyph).replace(/^(?=\.)/gm, '\\&');
}
