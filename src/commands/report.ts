/** A report on stdout (doctor, status): sections of rows, each with a mark and, below it, how to fix it; or a table. */
import { oneLine, withTilde } from '../text';
import type { World } from '../world';

/** Rows as columns, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export interface Row {
  readonly name: string;
  /** Shown as a mark; `skipped`: not tried, since what it needs is missing or failed. */
  readonly result?: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** How to fix it, each a line: the next command, with the user's own values in it. */
  readonly hints?: readonly string[];
}

/** What is written, each with a blank line before the next. */
export interface Report {
  section(title: string, rows: readonly Row[], note?: string): void;
  table(heads: readonly string[], rows: readonly (readonly string[])[]): void;
  /** @param result shown as a mark */
  paragraph(text: string, hints?: readonly string[], result?: Row['result']): void;
}

const SIGNS = { ok: '✔', warning: '!', failed: '✖', skipped: '-' };
const WORDS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL', skipped: 'skip' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

/**
 * @param width of the column of names
 * @param marks before the names, where every row has one, or else before the messages
 */
export async function openReport(
  { width, marks }: { readonly width: number; readonly marks: 'before names' | 'before messages' },
  world: Pick<World, 'stdout' | 'terminal' | 'env' | 'platform'>,
): Promise<Report> {
  const { stdout, terminal } = world;
  const shown = (text: string): string => oneLine(withTilde(text, world));
  const paint = await terminal.paint('stdout');
  // Plain ASCII in a file, and on a terminal that shows no more.
  const shapes = stdout.isTTY() && terminal.hasUnicode() ? SIGNS : WORDS;
  const indent = marks === 'before names' ? width + 6 : width + 4;
  let first = true;

  const write = (lines: readonly string[]): void => {
    stdout.write(`${first ? '' : '\n'}${lines.join('\n')}\n`);
    first = false;
  };
  const fixes = (hints: readonly string[], column: number): string[] =>
    hints.map((hint) => `${' '.repeat(column)}${paint.cyan('fix:')} ${shown(hint)}`);
  const mark = (result: Row['result']): string =>
    result === undefined ? '' : `${paint[COLOURS[result]](shapes[result])} `;
  const line = ({ name, result, message }: Row): string => {
    const text = result === 'skipped' ? paint.dim(shown(message)) : shown(message);
    const padded = name.padEnd(width);
    return marks === 'before names'
      ? `  ${mark(result)}${padded}  ${text}`
      : `  ${paint.dim(padded)}  ${mark(result)}${text}`;
  };
  return {
    section(title, rows, note) {
      const heading = note === undefined ? paint.bold(title) : `${paint.bold(title)} ${paint.dim(note)}`;
      write([heading, ...rows.flatMap((row) => [line(row), ...fixes(row.hints ?? [], indent)])]);
    },
    table(heads, rows) {
      const [head = '', ...lines] = columns([heads, ...rows.map((row) => row.map(shown))]);
      write([paint.bold(head), ...lines]);
    },
    paragraph(text, hints = [], result) {
      write([`${mark(result)}${shown(text)}`, ...fixes(hints, 2)]);
    },
  };
}
