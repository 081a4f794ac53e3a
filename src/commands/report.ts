/** A report on stdout (doctor, status): lines with a mark each and hints below them, or a table. */

import { oneLine } from '../text';
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

/** Returns a hint as it is shown. */
export function hintLine(hint: string, { cyan }: Pick<Paint, 'cyan'>): string {
  return `${cyan('hint:')} ${oneLine(hint)}`;
}

/** A line of a report: what was found, and what to do about it. */
export interface Finding {
  readonly result: Exclude<Result, 'skipped'>;
  readonly message: string;
  readonly hints: readonly string[];
}

/** Writes each finding to stdout: its mark, its message, and its hints below it. */
export async function writeFindings(
  findings: readonly Finding[],
  { stdout, terminal }: Pick<World, 'stdout' | 'terminal'>,
): Promise<void> {
  const paint = await terminal.paint('stdout');
  // Plain ASCII in a file, and on a terminal without Unicode.
  const marks = stdout.isTTY() && terminal.hasUnicode() ? SIGNS : WORDS;
  for (const { result, message, hints } of findings) {
    stdout.write(`${paint[COLOURS[result]](marks[result])} ${oneLine(message)}\n`);
    for (const hint of hints) stdout.write(`  ${hintLine(hint, paint)}\n`);
  }
}

export type Report = Awaited<ReturnType<typeof openReport>>;

const SIGNS = { ok: '✔', warning: '!', failed: '✖', skipped: '-' };
const WORDS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL', skipped: 'skip' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

export async function openReport({ stdout, terminal }: Pick<World, 'stdout' | 'terminal'>) {
  const paint = await terminal.paint('stdout');
  // Plain ASCII in a file, and on a terminal without Unicode.
  const marks = stdout.isTTY() && terminal.hasUnicode() ? SIGNS : WORDS;

  const write = (...lines: string[]): void => stdout.write(`${lines.join('\n')}\n`);
  const hintLines = (hints: readonly string[], indent: number): string[] =>
    hints.map((hint) => `${' '.repeat(indent)}${hintLine(hint, paint)}`);
  const tableLine = ({ selected, result }: TableRow, cells: readonly string[]): string => {
    const coloured = cells.map((cell, column) =>
      result?.column === column ? paint[COLOURS[result.is]](cell) : cell,
    );
    return selected ? paint.bold(coloured.join('  ')) : coloured.join('  ');
  };
  return {
    line({ result, message, hints = [] }: ReportLine, indent = 0): void {
      const mark = paint[COLOURS[result]](marks[result]);
      write(`${' '.repeat(indent)}${mark} ${oneLine(message)}`, ...hintLines(hints, indent + 2));
    },
    /** Writes a text without a mark. */
    text(text: string, hints: readonly string[] = []): void {
      write(oneLine(text), ...hintLines(hints, 2));
    },
    gap(): void {
      write('');
    },
    table(heads: readonly string[], rows: readonly TableRow[]): void {
      const [head = [], ...cells] = padded([heads, ...rows.map((row) => row.cells.map(oneLine))]);
      write(paint.bold(head.join('  ')), ...rows.map((row, index) => tableLine(row, cells[index] ?? [])));
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
