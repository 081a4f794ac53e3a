/** Values of variables: all that a token can be (RFC 6749 appendix A.12), including the hardest for shells. */
import fc from 'fast-check';

/** One value for each printable ASCII character. */
export const SINGLE_CHARACTERS: readonly string[] = Array.from({ length: 95 }, (_, index) =>
  String.fromCharCode(0x20 + index),
);

/** Values that broke an encoding in some shell, or look as if they could. */
export const EDGES: readonly string[] = [
  'read write admin',
  '   ',
  '[a-z]*',
  '{a,b}',
  'a~^b#',
  '=ls',
  '=-',
  '~root/x',
  '-n',
  '-e -E -',
  'a #b',
  '!!:gs/a/b/',
  "'\"'\"'",
  '\\\\\\',
  'trailing\\',
  '\\n\\101',
  '$HOME$$$?',
  '$(touch PWNED)',
  "';touch PWNED;'",
  '>PWNED',
  '%self',
  '%s%d%5$s%n',
  "$'x'",
  '@(a|b)',
  'export',
  ':a',
  'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2ln-bmF0_dXJl',
  'a* ',
  '$'.repeat(1001),
];

/** A value with each kind of run (POSIX_RUNS of src/formats/shells.ts), and with a character of an IFS. */
export const MIXED: readonly string[] = ['a:b  [*c'];

const LONGEST = 32 * 1024;
/** Values of the longest token that gwtoken accepts. */
export const LONG: readonly string[] = ['a'.repeat(LONGEST), ' '.repeat(LONGEST)];
/** The longest token, of characters that take 33 processes in sh. */
export const LONG_UNSAFE = '$'.repeat(LONGEST);

/** More runs of characters (POSIX_RUNS of src/formats/shells.ts) than gwtoken puts into one word. */
export const MANY_RUNS = 'a$'.repeat(150);

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 60,
});
const nasty = fc.string({
  unit: fc.constantFrom(...' *?[]{}()|<>~^#!$&;:\'"\\`=%@+-,./ab1'),
  minLength: 1,
  maxLength: 24,
});
const value = fc.oneof({ weight: 4, arbitrary: printable }, { weight: 3, arbitrary: nasty });

/** Returns random values, which are the same for the same seed. */
export function randomValues(count: number, seed: number): string[] {
  return fc.sample(value, { numRuns: count, seed });
}
