/** What gwtoken shows in lines: hints, findings with a mark each (doctor, status), and tables. */

import { oneLine } from '../text';
import type { Paint, World } from '../world';

/** Returns a hint as it is shown. */
export function hintLine(hint: string, { cyan }: Pick<Paint, 'cyan'>): string {
  return `${cyan('hint:')} ${oneLine(hint)}`;
}

/** What was found, and what to do about it. */
export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly hints: readonly string[];
}

const SIGNS = { ok: '✔', warning: '!', failed: '✖' };
const WORDS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

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

/** Returns the rows as lines of columns, each column as wide as its widest cell. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
