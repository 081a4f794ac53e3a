import { expect } from 'vitest';

/** Expects a refused command line's form: nothing on stdout, one error line, then hints and nothing else. */
export function expectRefusal(
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
  expected: number,
): void {
  const told = expect.stringMatching(/^gwtoken: error: [^\n]*[^.\n]\n(hint: [^\n]+\n)+$/);
  expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: told });
}
