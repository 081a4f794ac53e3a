/** Texts that gwtoken shows: one line without control characters, durations, and words for a shell. */
import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duration, listOf, oneLine, quoted, shellWord, similarWords } from '../src/text';
import type { Need } from './harness/needs';

/** Characters of names and URLs, and those that shells interpret. */
const line = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab/:.-={}[]()<>|&;*?~#!%$`"\'\\^ '), minLength: 1, maxLength: 12 }),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text)),
);
const LINES = fc.sample(line, { numRuns: 400, seed: 14 });

describe('shellWord()', () => {
  test.for<[shell: string, need: Need]>([
    ['sh', 'posix'],
    ['dash', 'dash'],
    ['bash', 'bash'],
    ['zsh', 'zsh'],
    ['ksh93', 'ksh93u+m'],
    ['busybox sh', 'busybox'],
    ['fish', 'fish'],
  ])('is read as the same text by %s', ([shell, need], { needs }) => {
    needs(need);
    const [program = '', ...args] = shell.split(' ');
    // printf of the shell prints each word and a NUL, because echo differs between shells.
    const script = LINES.map((text) => `printf '%s\\0' ${shellWord(text)}`).join('\n');
    const printed = execFileSync(program, [...args, '-c', script], {
      encoding: 'utf8',
      // With a socket as stdin, bash reads ~/.bashrc.
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(printed.split('\0').slice(0, -1)).toEqual(LINES);
  });

  test('returns a word without special characters unchanged', () => {
    for (const text of ['eu', 'https://id.example.com:8443/a_b-c', 'C:/x', 'a=b', '50%'])
      expect(shellWord(text)).toBe(text);
    for (const character of 'aZ09_@%+:,./-')
      for (const text of [`${character}b`, `b${character}`]) expect(shellWord(text)).toBe(text);
    for (const text of ['=ls', '~', '', 'https://id.{region}.example.com', 'a b'])
      expect(shellWord(text)).toBe(`'${text}'`);
  });
});

describe('a shown text', () => {
  test('is one line without control and direction characters', () => {
    const isSpelledOut = (code: number) =>
      code < 0x20 ||
      (code >= 0x7f && code <= 0x9f) ||
      (code >= 0x2028 && code <= 0x202e) ||
      (code >= 0x2066 && code <= 0x2069);
    const wrong: number[] = [];
    for (let code = 0; code <= 0x2fff; code++) {
      const character = String.fromCharCode(code);
      const shown = isSpelledOut(code) ? `\\u${code.toString(16).padStart(4, '0')}` : character;
      if (oneLine(`a${character}b`) !== `a${shown}b`) wrong.push(code);
    }
    expect(wrong).toEqual([]);
    expect(oneLine('🙂\r\n\x1b')).toBe('🙂\\u000d\\u000a\\u001b');
  });

  test('is quoted and cut to 100 characters if the user typed it', () => {
    expect(quoted('a"\n')).toBe('"a\\"\\n"');
    expect(quoted('a'.repeat(100))).toBe(`"${'a'.repeat(100)}"`);
    expect(quoted('a'.repeat(101))).toBe(`"${'a'.repeat(100)}…"`);
    expect(quoted('😀'.repeat(101))).toBe(`"${'😀'.repeat(100)}…"`);
  });

  test('has durations with at most two units, and tenths below ten seconds', () => {
    const durations = [
      0, 40, 50, 449, 1000, 9940, 10_000, 10_500, 59_000, 59_400, 60_000, 90_000, 600_000, 3_599_000,
    ];
    expect([...durations, 3_600_000, 7_500_000, 1e12].map(duration)).toEqual([
      ...['0 s', '0 s', '0.1 s', '0.4 s', '1 s', '9.9 s', '10 s', '11 s', '59 s', '59 s'],
      ...['1 min', '1 min 30 s', '10 min', '59 min', '1 h', '2 h 5 min', '277777 h 46 min'],
    ]);
  });
});

test.each([
  // An added, a missing or a wrong letter is one edit. All words with the fewest edits are returned.
  ['regionn', ['region', 'retries'], ['region']],
  ['rgion', ['region', 'retries'], ['region']],
  ['tar', ['tap', 'tab', 'bib'], ['tap', 'tab']],
  ['xyz', ['region'], []],
])('similarWords() finds the words nearest to %s', (word, known, meant) => {
  expect(similarWords(word, known)).toEqual(meant);
});

test('listOf() joins one, two or more words', () => {
  const lists = [['eu'], ['eu', 'us'], ['eu', 'us', 'mars']].map((words) => listOf(words));
  expect(lists).toEqual(['eu', 'eu or us', 'eu, us or mars']);
});
