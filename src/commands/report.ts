/** A report on stdout (doctor, status): lines with a mark each and hints below them, or a table. */

import { oneLine, withTilde, wrapWords } from '../text';
import type { Paint, World } from '../world';

/** Result of a line, shown as its mark; `skipped`: not tried, since something that it needs failed. */
type Result = 'ok' | 'warning' | 'failed' | 'skipped';

export interface ReportLine {
  readonly result: Result;
  readonly message: string;
  /** Ways to fix it, a line each: the next command, with the user's own values in it. */
  readonly hints?: readonly string[];
}

/** A row of a table; the selected one is bold, and a result colours its own cell. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly selected?: boolean;
  readonly result?: { readonly column: number; readonly is: Result } | undefined;
}

/** Returns a hint as it is shown: on one line, or wrapped at a width. */
export function hintLine(
  hint: string,
  paint: Pick<Paint, 'cyan'>,
  world: Pick<World, 'env' | 'platform'>,
  width?: number,
  indent = 0,
): string {
  const margin = ' '.repeat(indent);
  const text = wrapMessage(oneLine(withTilde(hint, world)), width, `${margin}      `);
  return `${margin}${paint.cyan('hint:')} ${text}`;
}

/** Wraps a sentence at a terminal's width, if there is one; the command at its end stays whole. */
export function wrapMessage(text: string, width: number | undefined, hanging: string): string {
  if (width === undefined || hanging.length + text.length <= width) return text;
  const at = /(?<=\b(run|did you mean|example): )/.exec(text)?.index ?? text.length;
  const command = text.slice(at);
  const words = [...text.slice(0, at).trim().split(' '), ...(command === '' ? [] : [command])];
  return wrapWords(words, width, hanging);
}

/** Returns each row as its first cell and, below it, the others behind their heads, for a narrow terminal. */
export function records(
  [, ...heads]: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  return rows
    .map(([name = '', ...cells]) => {
      const lines = cells.flatMap((cell, index) =>
        cell === '' ? [] : `    ${wrapWords(`${heads[index]}: ${cell}`.split(' '), width, '      ')}`,
      );
      return [name, ...lines].join('\n');
    })
    .join('\n');
}

export type Report = Awaited<ReturnType<typeof openReport>>;

const SIGNS = { ok: '✔', warning: '!', failed: '✖', skipped: '-' };
const WORDS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL', skipped: 'skip' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

export async function openReport(world: Pick<World, 'stdout' | 'terminal' | 'env' | 'platform'>) {
  const { stdout, terminal } = world;
  const shown = (text: string): string => oneLine(withTilde(text, world));
  const paint = await terminal.paint('stdout');
  const width = stdout.isTTY() ? terminal.columns() : undefined;
  // Plain ASCII in a file, and on a terminal without Unicode.
  const marks = stdout.isTTY() && terminal.hasUnicode() ? SIGNS : WORDS;

  const write = (...lines: string[]): void => stdout.write(`${lines.join('\n')}\n`);
  const hintLines = (hints: readonly string[], indent: number): string[] =>
    hints.map((hint) => hintLine(hint, paint, world, width, indent));
  const tableLine = ({ selected, result }: TableRow, cells: readonly string[]): string => {
    const coloured = cells.map((cell, column) =>
      result?.column === column ? paint[COLOURS[result.is]](cell) : cell,
    );
    return selected ? paint.bold(coloured.join('  ')) : coloured.join('  ');
  };
  return {
    line({ result, message, hints = [] }: ReportLine, indent = 0): void {
      const mark = paint[COLOURS[result]](marks[result]);
      const text = wrapMessage(shown(message), width, ' '.repeat(indent + marks[result].length + 1));
      write(`${' '.repeat(indent)}${mark} ${text}`, ...hintLines(hints, indent + 2));
    },
    /** Writes a text without a mark. */
    text(text: string, hints: readonly string[] = []): void {
      write(wrapMessage(shown(text), width, ''), ...hintLines(hints, 2));
    },
    gap(): void {
      write('');
    },
    table(heads: readonly string[], rows: readonly TableRow[]): void {
      const [head = [], ...cells] = padded([heads, ...rows.map((row) => row.cells.map(shown))]);
      const lines = rows.map((row, index) => tableLine(row, cells[index] ?? []));
      const widest = Math.max(...[head, ...cells].map((row) => row.join('  ').trimEnd().length));
      const isNarrow = width !== undefined && widest > terminal.columns(Number.POSITIVE_INFINITY);
      if (isNarrow)
        write(
          records(
            heads,
            rows.map((row) => row.cells.map(shown)),
            width,
          ),
        );
      else write(paint.bold(head.join('  ')), ...lines);
    },
  };
}

/** Makes the cells of each column as wide as the widest of them; the last one is not padded. */
function padded(rows: readonly (readonly string[])[]): string[][] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell)),
  );
}

/** Returns the rows as lines of columns. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  return padded(rows).map((cells) => cells.join('  ').trimEnd());
}
