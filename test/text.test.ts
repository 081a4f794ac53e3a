import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../src/text';
import { openHome } from './harness/homes/home';

/** What people and addresses have in them, and what shells make something of. */
const line = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab/:.-={}[]()<>|&;*?~#!%$`"\'\\^ '), minLength: 1, maxLength: 12 }),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text)),
);
const LINES = fc.sample(line, { numRuns: 400, seed: 14 });

describe('a word of a command line that is shown for pasting', () => {
  test.for(['sh', 'dash', 'bash', 'zsh', 'ksh93', 'busybox sh', 'fish'])(
    'is the text again in %s',
    (shell, { skip }) => {
      const [program = '', ...args] = shell.split(' ');
      const path = ['/bin', '/usr/bin'].map((folder) => `${folder}/${program}`).find(existsSync);
      skip(path === undefined, `${shell} is not installed`);
      // A function of its own prints each word and a NUL: no shell's echo takes part.
      const script = LINES.map((text) => `printf '%s\\0' ${shellWord(text)}`).join('\n');
      const printed = execFileSync(path!, [...args, '-c', script], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toEqual(LINES);
    },
  );

  test('stays as it is where it needs no quotes', () => {
    for (const text of ['eu', 'https://id.example.com:8443/a_b-c', 'C:/x', 'a=b', '50%'])
      expect(shellWord(text)).toBe(text);
    for (const text of ['=ls', '~', '', 'https://id.{region}.example.com', 'a b'])
      expect(shellWord(text)).toBe(`'${text}'`);
  });

  test('is what PowerShell reads as one text, unless it has a quote or a backslash', () => {
    for (const text of LINES.filter((each) => !/['\\!]/.test(each))) {
      const word = shellWord(text);
      if (word !== text) expect(/^'([^']*)'$/.exec(word)?.[1]).toBe(text);
    }
  });

  test('is how login writes the client id into the line that it advises', async () => {
    const { stderr } = await openHome().gwtoken(['login', '--client-id', 'two words $(id)']);
    const [, hint = ''] = /hint: example: .*? \| (gwtoken login .*)/.exec(stderr) ?? [];
    const words = execFileSync('sh', ['-c', `gwtoken() { printf '%s\\0' "$@"; }; ${hint}`], {
      encoding: 'utf8',
    });
    expect(words.split('\0')).toContain('two words $(id)');
  });
});
