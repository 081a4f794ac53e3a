/**
 * What `gwtoken env` prints arrives byte for byte, in real shells, evaluated with and without quotes, under the options
 * that change how words are made, in a folder full of files named after the words that are printed.
 */
import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { formatNamed } from '../../src/formats/table';
import { openFolder } from '../harness/homes/folder';
import { evaluate, writeBatch } from './batch';
import { cellsOf, describeWrong, runCells } from './cells';
import { missing, SHELLS } from './shells';
import { LONG, MANY_PIECES } from './values';

const count = Number(process.env['SHELL_VALUES'] ?? 1000);
const seed = Number(process.env['SHELL_SEED'] ?? randomInt(2 ** 31));

describe(`the value arrives exactly (${count} random values for each shell, SHELL_SEED=${seed})`, () => {
  for (const shell of SHELLS) {
    test(shell.name, { timeout: 60_000 + count * 200 }, async ({ skip, annotate }) => {
      const reason = missing(shell);
      skip(reason !== undefined, reason);
      const encode = formatNamed(shell.format, 'the test').set;
      const cells = cellsOf(shell, openFolder(), encode, count, seed);
      const verdicts = await runCells(shell, cells);

      expect(describeWrong(verdicts)).toEqual([]);
      const values = verdicts.reduce((sum, verdict) => sum + verdict.values, 0);
      expect(values).toBeGreaterThanOrEqual(count);
      await annotate(`${values} values in ${cells.length} cells`);
    });
  }
});

describe('a value of 32 KiB arrives exactly', () => {
  for (const shell of SHELLS) {
    test(shell.name, async ({ skip }) => {
      const reason = missing(shell);
      skip(reason !== undefined, reason);
      const encode = formatNamed(shell.format, 'the test').set;
      const values = /dash|busybox/.test(shell.name) ? [...LONG, MANY_PIECES] : LONG;
      const context = Object.values(shell.contexts)[0]!;
      const batch = writeBatch(openFolder(), 'long', values, encode);
      const { wrong, made } = await evaluate(shell, '', context, batch, 'C.UTF-8');
      expect(wrong.map(({ value, seen }) => [value.slice(0, 9), value.length, seen?.length])).toEqual([]);
      expect(made).toEqual([]);
    });
  }
});
