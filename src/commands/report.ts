/** Output in lines: hints, findings with a mark each (doctor, status), and tables. */
import { oneLine } from '../text';
import type { Paint, World } from '../world';

export function hintLine(hint: string, { cyan }: Pick<Paint, 'cyan'>): string {
  return `${cyan('hint:')} ${oneLine(hint)}`;
}

/** A finding, the hints for it, and the trace of the work that led to it. */
export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly hints: readonly string[];
  readonly trace?: readonly string[];
}

const MARKS = { ok: 'ok  ', warning: 'warn', failed: 'FAIL' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** Writes each finding to stdout: its mark, its message, and below it its hints and its trace. */
export async function writeFindings(
  findings: readonly Finding[],
  { stdout, terminal }: Pick<World, 'stdout' | 'terminal'>,
): Promise<void> {
  const paint = await terminal.paint('stdout');
  for (const { result, message, hints, trace = [] } of findings) {
    stdout.write(`${paint[COLOURS[result]](MARKS[result])} ${oneLine(message)}\n`);
    for (const hint of hints) stdout.write(`  ${hintLine(hint, paint)}\n`);
    for (const line of trace) stdout.write(`     ${oneLine(line)}\n`);
  }
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
