/** A reader gets each value unchanged, or the format rejects it; no value creates another variable. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse as parseDotenv } from 'dotenv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { envFormat } from '../../src/formats/env-formats';
import { printVariables } from '../../src/formats/format';
import { readFileCommands } from '../harness/github-runner';
import { openDirectory } from '../harness/homes/directory';
import { EDGES, LONG, randomValues, SINGLE_CHARACTERS } from '../shells/values';

/** The readers of each format, which must all find the same variables. */
const READERS: Readonly<Record<string, readonly ((text: string) => object)[]>> = {
  'github-env': [(text) => Object.fromEntries(readFileCommands(text))],
  'github-output': [(text) => Object.fromEntries(readFileCommands(text))],
  dotenv: [(text) => parseDotenv(text), (text) => parseEnv(text)],
};

/** Values that contain the syntax of a format; those of shells are in test/shells/values.ts. */
const FORMAT_SYNTAX = [
  'ghadelimiter_gwtoken',
  'A<<B',
  '::set-output name=EVIL::1',
  "'quoted'",
  '"quoted"',
  '`quoted`',
  "it's",
  `it's "both"`,
  "'a\\",
  'a\\nb',
  "a' #b",
  'export X=1',
  'a:=ls',
];
const ORDINARY = [
  'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2ln-bmF0_dXJl',
  'tok_~live.1:2',
  '1795219200',
  'read write:all https://scope.example.com/.default',
  'openid&profile|email;(a)<b>!{c}[d],^*?@',
];
const unit = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(...'%\'"\\`$ #=<;][('),
);
const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit, minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...FORMAT_SYNTAX, ...EDGES, ...ORDINARY) },
);

/** Returns false if the format rejects the values; otherwise expects every reader to find only these. */
function carries(format: string, values: readonly string[]): boolean {
  const variables = values.map((value, index) => ({ name: `v${index}`, value }));
  let text: string;
  try {
    text = printVariables(variables, envFormat(format));
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    expect(error.message).toMatch(/^cannot pass \w+ unchanged: its value \S/);
    for (const value of values.filter(({ length }) => length > 12))
      expect(error.message).not.toContain(value);
    return false;
  }
  const expected = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  for (const read of READERS[format]!) expect({ ...read(text) }).toEqual(expected);
  return true;
}

describe.each(Object.keys(READERS))('%s', (format) => {
  test('carries each value unchanged or rejects it', () => {
    const property = (values: readonly string[]) => void carries(format, values);
    const four = fc.array(anyValue, { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(four, property), { numRuns: 500 });
    for (const value of [...SINGLE_CHARACTERS, ...EDGES, ...LONG, ...FORMAT_SYNTAX, ...randomValues(500, 7)])
      carries(format, [value, 'bearer', '', value]);
  });

  test('carries values that look like real tokens and scopes', () => {
    for (const value of ORDINARY) expect([value, carries(format, [value])]).toEqual([value, true]);
  });
});

test('github-env carries every value, even its own delimiter', () => {
  const delimiter = 'ghadelimiter_gwtoken';
  for (const value of [...SINGLE_CHARACTERS, ...EDGES, ...LONG, delimiter, `${delimiter}_`])
    expect([value, carries('github-env', [value])]).toEqual([value, true]);
});

test.for(['sh', 'bash', 'zsh'] as const)(
  '%s reads each value of a dotenv file unchanged',
  (shell, { needs }) => {
    needs('posix');
    if (shell === 'zsh') needs('zsh');
    const carried = [...SINGLE_CHARACTERS, ...EDGES, ...FORMAT_SYNTAX, ...randomValues(300, 3)].filter(
      (value) => carries('dotenv', [value]),
    );
    const variables = carried.map((value, index) => ({ name: `V${index}`, value }));
    const dir = openDirectory();
    writeFileSync(join(dir, 'tokens.env'), printVariables(variables, envFormat('dotenv')));
    const script = 'set -a; . ./tokens.env; set +a; "$0" -e "$1"';
    const print = 'process.stdout.write(JSON.stringify(process.env))';
    const sourced = execFileSync(shell, ['-c', script, process.execPath, print], {
      cwd: dir,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '' },
      // With a socket as stdin, bash reads ~/.bashrc.
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(JSON.parse(sourced)).toMatchObject(
      Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    );
    expect(carried.length).toBeGreaterThan(200);
  },
);
