/**
 * What `gwtoken env` prints arrives byte for byte, in real shells, evaluated with and without quotes, under the options
 * that change how words are made, in a folder full of files named after the words that are printed.
 */
import { describe, expect, test } from 'vitest';
import { formatNamed } from '../../src/formats/table';
import { openFolder } from '../harness/homes/folder';
import { type Encoder, evaluate, writeBatch } from './batch';
import { cellsOf, describeWrong, runCells } from './cells';
import { missing, SHELLS } from './shells';
import { EDGES, LONG, MANY_PIECES } from './values';

const count = Number(process.env['SHELL_VALUES'] ?? 200);
const seed = Number(process.env['SHELL_SEED'] ?? 1);

describe(`the value arrives exactly (${count} random values for each shell, SHELL_SEED=${seed})`, () => {
  for (const shell of SHELLS) {
    test(shell.name, { timeout: 60_000 + count * 200 }, async ({ needs, annotate }) => {
      needs(missing(shell));
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
    test(shell.name, async ({ needs }) => {
      needs(missing(shell));
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

test('the check sees what single quotes mangle under eval $(…), and that double quotes around it help', async ({
  needs,
}) => {
  const dash = SHELLS.find(({ name }) => name === 'dash')!;
  needs(missing(dash));
  // As Python's shlex.quote and most libraries do it.
  const singleQuotes: Encoder = (variables) =>
    variables.map(({ name, value = '' }) => `export ${name}='${value.replaceAll("'", "'\\''")}';\n`).join('');
  const batch = writeBatch(openFolder(), 'single-quotes', EDGES, singleQuotes, 1);
  const bare = await evaluate(dash, '', dash.contexts['eval $(…)']!, batch, 'C', true);
  expect(bare.wrong.length).toBeGreaterThan(5);
  expect((await evaluate(dash, '', dash.contexts['eval "$(…)"']!, batch, 'C')).wrong).toEqual([]);
});
