/** Lays out what several commands print: the line of a hint, and rows in columns. */
import { oneLine } from '../text';
import type { Paint } from '../world';

export function hintLine(hint: string, { cyan }: Pick<Paint, 'cyan'>): string {
  return `${cyan('hint:')} ${oneLine(hint)}`;
}

export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
