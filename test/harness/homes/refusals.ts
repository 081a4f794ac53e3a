import { expect } from 'vitest';

/** Expects the output of a rejected command line: an empty stdout, one error line, and then only hints. */
export function expectRefusal(
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
  expected: number,
): void {
  const told = expect.stringMatching(/^gwtoken: error: [^\n]*[^.\n]\n(hint: [^\n]+\n)+$/);
  expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: told });
}
