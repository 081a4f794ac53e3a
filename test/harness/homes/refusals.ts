import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProgramResult } from '../programs/program';
import { treeOf } from './files';
import { openHome } from './home';

const posix = process.platform !== 'win32';
const root = process.getuid?.() === 0;
/** Enough to fetch a token with, from an address where nobody listens: what gets as far as that has not been refused. */
export const COMPLETE = {
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL: 'http://127.0.0.1:9',
  GWTOKEN_CLIENT_ID: 'id',
  GWTOKEN_CLIENT_SECRET: 'secret',
};

export interface Bad {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A variable of the complete ones to leave out. */
  readonly unset?: string;
  readonly stdin?: string | Buffer;
  /** Files below the home's folder, by their path. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly before?: (folder: string) => void;
  readonly code?: number;
  /** The error and its hints, with DIR for the home's folder and FILE for the config file. */
  readonly says: readonly string[];
}

/** One test for each row: refused with one error line and a hint, and the same file tree as before. */
export function testRefusals(about: string, table: Readonly<Record<string, Bad>>): void {
  describe.concurrent(`${about}: one error line and a hint, and nothing is changed`, () => {
    test.for(Object.entries(table))('%s', async ([, bad], { skip }) => {
      skip(!posix && bad.before !== undefined, 'needs POSIX owners and modes');
      skip(!root && String(bad.before).includes('chown'), 'needs root: chown');
      const home = openHome();
      for (const [path, content] of Object.entries(bad.files ?? {})) {
        mkdirSync(dirname(join(home.dir, path)), { recursive: true, mode: 0o700 });
        writeFileSync(join(home.dir, path), content, { mode: 0o600 });
      }
      bad.before?.(home.dir);
      const before = treeOf(home.dir);
      const given = Object.entries({ ...COMPLETE, ...bad.env }).filter(([name]) => name !== bad.unset);
      const result = await home.gwtoken(bad.args ?? ['get'], {
        env: Object.fromEntries(given),
        cwd: home.dir,
        ...(bad.stdin === undefined ? {} : { stdin: bad.stdin }),
      });
      expectRefusal(result, bad.code ?? 2);
      const said = result.stderr
        .replaceAll(join(home.config, 'config.json'), 'FILE')
        .replaceAll(home.dir, 'DIR');
      const [message, ...hints] = bad.says;
      expect(said).toBe(`gwtoken: error: ${message}\n${hints.map((hint) => `hint: ${hint}\n`).join('')}`);
      expect(result.stderr).not.toContain('hidden');
      expect(treeOf(home.dir)).toEqual(before);
    });
  });
}

/** What every refused command line looks like: nothing on stdout, one error line, then hints and nothing else. */
export function expectRefusal({ code, stdout, stderr }: ProgramResult, expected: number): void {
  const told = expect.stringMatching(/^gwtoken: error: [^\n]*[^.\n]\n(hint: [^\n]+\n)+$/);
  expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: told });
}
