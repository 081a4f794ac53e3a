/** The output of env arrives byte for byte in real shells, in each state, among files of its words. */
import { describe, expect, test } from 'vitest';
import { formatNamed } from '../../src/formats/env-formats';
import { type Cell, problemsOf, writeBatch } from './batch';
import { missing, SHELLS, type Shell } from './shells';
import { EDGES, LONG, MANY_PIECES, randomValues, SINGLE_CHARACTERS } from './values';

const count = Number(process.env['SHELL_VALUES'] ?? 200);
const seed = Number(process.env['SHELL_SEED'] ?? 1);
/** A batch is used by several cells, since making its folder costs more than evaluating it. */
const BATCHES = 4;

/** Every way to evaluate in every state of the shell; those with the IFS as it is get the hard cases too. */
function cellsOf(shell: Shell): Cell[] {
  const encode = formatNamed(shell.format).set;
  const places = Object.entries(shell.states).flatMap(([stateName, state]) =>
    Object.entries(shell.contexts).map(([name, context]) => ({
      name: `${name} (${stateName})`,
      state,
      context,
    })),
  );
  const share = Math.ceil(count / places.length);
  const batches = Array.from({ length: Math.min(BATCHES, places.length) }, (_, index) =>
    writeBatch(randomValues(share, seed + index), encode),
  );
  const known = writeBatch([...SINGLE_CHARACTERS, ...EDGES], encode);
  return places.flatMap((place, index) => {
    const locale = index % 2 === 0 ? 'C.UTF-8' : 'C';
    const cell = { ...place, locale, batch: batches[index % batches.length]! };
    return place.name.includes('IFS') ? [cell] : [cell, { ...cell, batch: known }];
  });
}

describe(`the value arrives exactly (${count} random values for each shell, SHELL_SEED=${seed})`, () => {
  test.for(SHELLS)('$name', { timeout: 60_000 + count * 200 }, async (shell, { needs }) => {
    needs(missing(shell));
    const waiting = cellsOf(shell);
    const problems: string[] = [];
    const work = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift())
        problems.push(...(await problemsOf(shell, cell)));
    };
    await Promise.all([work(), work()]);
    expect(problems.slice(0, 5)).toEqual([]);
  });
});

describe('a value of 32 KiB arrives exactly', () => {
  test.for(SHELLS)('$name', async (shell, { needs }) => {
    needs(missing(shell));
    const values = /dash|busybox/.test(shell.name) ? [...LONG, MANY_PIECES] : LONG;
    const batch = writeBatch(values, formatNamed(shell.format).set);
    const context = Object.values(shell.contexts)[0]!;
    expect(await problemsOf(shell, { name: '', state: '', context, batch, locale: 'C.UTF-8' })).toEqual([]);
  });
});
