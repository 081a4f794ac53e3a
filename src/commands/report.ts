/** A report on stdout (doctor, status): lines, each with a mark and, below it, how to fix it; or a table. */

import { oneLine, withTilde } from '../text';
import type { Paint, World } from '../world';

/** Shown as a mark; `skipped`: not tried, since what it needs is missing or failed. */
type Result = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Row {
  readonly result: Result;
  readonly message: string;
  /** How to fix it, each a line: the next command, with the user's own values in it. */
  readonly hints?: readonly string[];
}

/** A row of a table; the selected one is bold, and a result colours the cell that tells it. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly selected?: boolean;
  readonly result?: { readonly column: number; readonly is: Result } | undefined;
}

export interface Report {
  line(row: Row, indent?: number): void;
  /** Writes a text without a mark. */
  text(text: string, hints?: readonly string[]): void;
  gap(): void;
  table(heads: readonly string[], rows: readonly TableRow[]): void;
}

const SIGNS = { ok: '✔', warning: '!', failed: '✖', skipped: '-' };
const WORDS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL', skipped: 'skip' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;
/** On a terminal lines are no longer than this. */
const WIDTH = 80;

export async function openReport(
  world: Pick<World, 'stdout' | 'terminal' | 'env' | 'platform'>,
): Promise<Report> {
  const { stdout, terminal } = world;
  const shown = (text: string): string => oneLine(withTilde(text, world));
  const paint = await terminal.paint('stdout');
  const isTerminal = stdout.isTTY();
  // Plain ASCII in a file, and on a terminal that shows no more.
  const marks = isTerminal && terminal.hasUnicode() ? SIGNS : WORDS;
  const width = isTerminal ? WIDTH : Number.POSITIVE_INFINITY;

  const write = (lines: readonly string[]): void => stdout.write(`${lines.join('\n')}\n`);
  const hintLines = (hints: readonly string[], column: number): string[] =>
    hints.flatMap((hint) => hanging(`${paint.cyan('hint:')} `, 6, shown(hint), column, width));
  return {
    line({ result, message, hints = [] }, indent = 0) {
      const mark = `${paint[COLOURS[result]](marks[result])} `;
      const size = marks[result].length + 1;
      write([...hanging(mark, size, shown(message), indent, width), ...hintLines(hints, indent + 2)]);
    },
    text(text, hints = []) {
      write([...hanging('', 0, shown(text), 0, width), ...hintLines(hints, 2)]);
    },
    gap() {
      write(['']);
    },
    table(heads, rows) {
      const [head = [], ...cells] = padded([heads, ...rows.map((row) => row.cells.map(shown))]);
      const lines = rows.map((row, index) => tableLine({ ...row, cells: cells[index] ?? [] }, paint));
      write([paint.bold(head.join('  ')), ...lines]);
    },
  };
}

function tableLine({ cells, selected = false, result }: TableRow, paint: Paint): string {
  const coloured = cells.map((cell, column) =>
    result?.column === column ? paint[COLOURS[result.is]](cell) : cell,
  );
  return selected ? paint.bold(coloured.join('  ')) : coloured.join('  ');
}

/** Makes the cells of each column as wide as the widest of them; the last one is not padded. */
function padded(rows: readonly (readonly string[])[]): string[][] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell)),
  );
}

/** Formats rows as lines of columns. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  return padded(rows).map((cells) => cells.join('  ').trimEnd());
}

/**
 * Breaks a text at spaces, its further lines below the first one's beginning. A command to run begins a line of its own
 * if it does not fit, and is not broken: it is there to be copied.
 *
 * @param size what `mark` takes on the screen
 */
function hanging(mark: string, size: number, text: string, indent: number, width: number): string[] {
  const room = width - indent - size;
  const lines = text.length <= room ? [text] : broken(text, room);
  return lines.map((line, index) => `${' '.repeat(indent)}${index === 0 ? mark : ' '.repeat(size)}${line}`);
}

function broken(text: string, room: number): string[] {
  const [, prose = text, command] = /^(.*?: )(gwtoken .*)$/.exec(text) ?? [];
  const lines = [''];
  for (const word of prose.trimEnd().split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return command === undefined ? lines : [...lines, command];
}
