/** Each value arrives exactly or is refused: never another value, and never another variable. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { formatNamed } from '../../src/formats/env-formats';
import type { Variable } from '../../src/formats/format';
import { openFolder } from '../harness/homes/folder';
import { EDGES, LONG, randomValues, SINGLE_CHARACTERS } from '../shells/values';
import { READERS } from './readers';

/** What a format's own syntax is made of, beside what breaks a shell. */
const BREAKERS = [
  'a\nEVIL=1',
  'a\nEVIL<<x\n1\nx',
  'ghadelimiter_gwtoken',
  'A<<B',
  'a\rb',
  'a\0b',
  'é',
  '%0AEVIL=1',
  '%0D%0A',
  '%AZP25',
  'a;issecret=false]b',
  ']##vso[task.setvariable variable=EVIL]1',
  '::set-output name=EVIL::1',
  '$(System.AccessToken)',
  "'quoted'",
  '"quoted"',
  '`quoted`',
  "it's",
  `it's "both"`,
  "'a\\",
  'a\\nb',
  "a' #b",
  'a #b',
  'export X=1',
  'a\u2019b',
];
const ORDINARY = [
  'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2ln-bmF0_dXJl',
  'tok_~live.1:2',
  'Bearer',
  '1795219200',
  'read write:all https://scope.example.com/.default',
  'openid&profile|email;(a)<b>!{c}[d],^*?@',
];

const PROBLEM = /^cannot pass \w+ unchanged: its value \S/;
const unit = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) },
  { weight: 5, arbitrary: fc.constantFrom(...'\n\r%\'"\\`$ #=<;][(') },
);
const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit, minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...BREAKERS, ...EDGES, ...ORDINARY) },
);

const NAMES = ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'];
const nameIn = (format: string, name: string): string =>
  format === 'github-output' ? name.toLowerCase().replace('_', '-') : name;

/** Writes the values, and has every reader find them and nothing else; false when the format refuses them. */
function arrives(format: string, values: readonly (string | undefined)[]): boolean {
  const variables: Variable[] = values.map((value, index) => ({ name: NAMES[index]!, value }));
  let text: string;
  try {
    text = formatNamed(format).set(variables);
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    expect(error.kind).toBe('usage');
    expect(error.message).toMatch(PROBLEM);
    for (const value of values) {
      if (value !== undefined && value.length > 12)
        expect([error.message, ...error.hints].join()).not.toContain(value);
    }
    return false;
  }
  const isSetEmpty = /^github|^azure/.test(format);
  const expected = variables.flatMap(({ name, value }) =>
    value === undefined && !isSetEmpty ? [] : [[nameIn(format, name), value ?? '']],
  );
  for (const [reader, read] of Object.entries(READERS[format]!))
    expect([reader, Object.fromEntries(read(text))]).toEqual([reader, Object.fromEntries(expected)]);
  return true;
}

describe.each(Object.keys(READERS))('%s', (format) => {
  test('carries each value exactly, or refuses it', () => {
    fc.assert(
      fc.property(
        fc.array(anyValue, { minLength: 1, maxLength: 4 }),
        (values) => void arrives(format, values),
      ),
      { numRuns: 500 },
    );
    for (const value of [...SINGLE_CHARACTERS, ...EDGES, ...LONG, ...BREAKERS, ...randomValues(500, 7)])
      arrives(format, [value, 'bearer', undefined, value]);
  });

  test('carries what tokens and scopes look like', () => {
    for (const value of ORDINARY)
      expect([value, arrives(format, [value, 'bearer', '1', value])]).toEqual([value, true]);
    expect(arrives(format, ['a', 'bearer', undefined, undefined])).toBe(true);
  });
});

test.each(['github-env', 'github-output', 'powershell'])('%s carries whatever a token may be', (format) => {
  const long = format === 'powershell' ? [] : LONG;
  for (const value of [...SINGLE_CHARACTERS, ...EDGES, ...long, ...randomValues(500, 11)])
    expect([value, arrives(format, [value])]).toEqual([value, true]);
});

test.each(['github-env', 'github-output'])('%s carries a value that is its own delimiter', (format) => {
  const text = formatNamed(format).set([{ name: 'A', value: 'x' }]);
  const [, delimiter = ''] = /<<(.*)$/m.exec(text) ?? [];
  expect(delimiter).not.toBe('');
  expect(arrives(format, [delimiter, `${delimiter}_`, `${delimiter}__`, delimiter])).toBe(true);
});

describe('what sources a dotenv file', () => {
  const carried = [...SINGLE_CHARACTERS, ...EDGES, 'a:=ls', ...BREAKERS, ...randomValues(300, 3)].filter(
    (value) => !/[^ -~]/.test(value) && arrives('dotenv', [value]),
  );
  const variables = carried.map((value, index) => ({ name: `V${index}`, value }));
  const dir = openFolder();
  writeFileSync(join(dir, 'tokens.env'), formatNamed('dotenv').set(variables));
  const print = 'process.stdout.write(JSON.stringify(process.env))';
  const expected = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const options = { cwd: dir, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' } } as const;

  test.for(['sh', 'bash', 'zsh'] as const)('%s', (shell, { needs }) => {
    needs('posix');
    if (shell === 'zsh') needs('zsh');
    const script = 'set -a; . ./tokens.env; set +a; "$0" -e "$1"';
    const sourced = execFileSync(shell, ['-c', script, process.execPath, print], options);
    expect(JSON.parse(sourced)).toMatchObject(expected);
    expect(carried.length).toBeGreaterThan(200);
  });
});
