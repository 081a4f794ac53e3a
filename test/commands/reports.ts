import { expect } from 'vitest';

interface DoctorReport {
  readonly exit_code: number;
  readonly checks: readonly {
    readonly name: string;
    readonly result: 'ok' | 'warning' | 'failed';
    readonly message: string;
    readonly hints: readonly string[];
    readonly exit_code: number | null;
  }[];
}

function parseLine(line: string): unknown {
  expect(line).toMatch(/^[^\n]*\n$/);
  return JSON.parse(line);
}

/** Reads `gwtoken doctor --json`: a failed check, and no other, has an exit code and says what to do. */
export function parseDoctor(line: string): DoctorReport {
  const report = parseLine(line) as DoctorReport;
  expect(Object.keys(report)).toEqual(['version', 'exit_code', 'checks']);
  for (const check of report.checks) {
    const { message, hints, ...rest } = check;
    expect(Object.keys(rest)).toEqual(['name', 'result', 'exit_code']);
    expect(message).toMatch(/^[^\n]+$/);
    const isFailed = rest.result === 'failed';
    expect(rest.exit_code, message).toEqual(isFailed ? expect.any(Number) : null);
    if (isFailed) expect(hints.length > 0 || message.startsWith('invalid '), message).toBe(true);
  }
  return report;
}
