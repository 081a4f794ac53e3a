/** A topic as a terminal shows it: all that our topics use of Markdown, without its marks, in 80 columns. */

import { columns } from '../commands/columns';
import type { Paint } from '../world/streams';

/** Blocks of code, whether indented or fenced, and tables: the lines that stay lines. */
const BLOCKS = /(^```[\s\S]*?^```\n|(?:^ {4}.*\n)+|(?:^\|.*\n)+)/m;

/** @param markdown written for 80 columns: its line ends stay where they are */
export function topicAsText(markdown: string, paint: Pick<Paint, 'bold' | 'cyan'>): string {
  return markdown
    .split(BLOCKS)
    .map((part, index) => {
      if (index % 2 === 0) return prose(part, paint);
      if (part.startsWith('|')) return table(part, paint);
      return part.startsWith('```') ? indented(part) : part;
    })
    .join('');
}

function prose(text: string, { bold, cyan }: Pick<Paint, 'bold' | 'cyan'>): string {
  return (
    text
      // In capitals, as a man page has them: where nothing is bold they would look like any other line.
      .replace(/^(#+) (.*)/gm, (_, { length: level }, title: string) =>
        bold(level < 3 ? title.toUpperCase() : title),
      )
      .replace(/`([^`]+)`/g, (_, code: string) => eachLine(code, cyan))
      .replace(/\*\*([^*]+)\*\*/g, (_, words: string) => eachLine(words, bold))
  );
}

/** What is marked may go on in the next line, behind its indentation. */
function eachLine(text: string, paint: (line: string) => string): string {
  return text.replace(/\S(?:.*\S)?/g, (line) => paint(line));
}

function indented(block: string): string {
  return block.replace(/^```.*\n/gm, '').replace(/^(?=.)/gm, '    ');
}

function table(block: string, { bold }: Pick<Paint, 'bold'>): string {
  const [head = [], , ...rows] = block
    .replaceAll('`', '')
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const rule = head.map((cell, at) =>
    '-'.repeat(Math.max(cell.length, ...rows.map((row) => row[at]!.length))),
  );
  const [first = '', ...lines] = columns([head, rule, ...rows]);
  return [bold(first), ...lines, ''].join('\n');
}
