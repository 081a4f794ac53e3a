import { expect } from 'vitest';

interface Check {
  readonly name: string;
  readonly result: 'ok' | 'warning' | 'failed';
  readonly message: string;
  readonly hints: readonly string[];
  readonly trace: readonly string[];
  readonly exit_code: number | null;
}

/** Parses the output of `gwtoken doctor --json`. Expects a failed check to have a hint, and only it an exit code. */
export function parseDoctor(line: string): { readonly exit_code: number; readonly checks: readonly Check[] } {
  expect(line).toMatch(/^[^\n]*\n$/);
  const report = JSON.parse(line);
  expect(Object.keys(report)).toEqual(['version', 'exit_code', 'checks']);
  for (const { result, message, hints, trace, exit_code, ...rest } of report.checks as Check[]) {
    expect(Object.keys(rest)).toEqual(['name']);
    const isFailed = result === 'failed';
    expect(exit_code, message).toEqual(isFailed ? expect.any(Number) : null);
    if (isFailed) expect(hints.length, message).toBeGreaterThan(0);
  }
  return report;
}

/** Returns the check with this name and all later ones, each as `result name: message`. */
export function checksFrom(name: string, checks: readonly Check[]): string[] {
  const names = checks.map((check) => check.name);
  expect(names).toContain(name);
  return checks.slice(names.indexOf(name)).map((each) => `${each.result} ${each.name}: ${each.message}`);
}
