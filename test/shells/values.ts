/** Values to pass on: what a token may be (RFC 6749 appendix A.12), and then as bad as that can get. */
import fc from 'fast-check';

/** Each printable character of ASCII as a value of its own. */
export const SINGLE_CHARACTERS: readonly string[] = Array.from({ length: 95 }, (_, index) =>
  String.fromCharCode(0x20 + index),
);

/** What has broken some encoder in some shell, or looks as if it could. */
export const EDGES: readonly string[] = [
  'read write admin',
  '   ',
  '[a-z]*',
  '[!a]*[^b]*[]-]*',
  '{a,b}{1..9}',
  '(a|b)#(^c)~d',
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
  '\\n\\101\\x41\\u0041\\0',
  '$HOME$PATH$$$?',
  '$(touch PWNED)',
  ';touch PWNED;',
  "';touch PWNED;'",
  '&& touch PWNED ||',
  '>PWNED',
  '%self',
  '%s%d%5$s%n',
  "$'x'",
  '@(a|b)',
  'export',
  ':a:b::',
  'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2ln-bmF0_dXJl',
  'a*b '.repeat(8),
  '$'.repeat(1001),
  'it\'s 100% "~/*" & more; `!#\\',
];

/** As long as a token may be. */
export const LONG: readonly string[] = ['a'.repeat(32 * 1024), '$'.repeat(32 * 1024), ' '.repeat(32 * 1024)];

/** More pieces than dash can hold in one word; busybox fails at the same number, but in half a minute. */
export const MANY_PIECES = 'a$'.repeat(1_800);

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

/** As many random values as asked for, the same ones for the same seed. */
export function randomValues(count: number, seed: number): string[] {
  return fc.sample(value, { numRuns: count, seed });
}
