/** Every way to evaluate in every state of a shell: one cell each, with values of its own. */
import { availableParallelism } from 'node:os';
import { type Batch, type Encoder, evaluate, type Verdict, writeBatch } from './batch';
import type { Shell } from './shells';
import { EDGES, randomValues, SINGLE_CHARACTERS } from './values';

export interface Cell {
  readonly name: string;
  readonly state: string;
  readonly context: (command: string) => string;
  readonly batch: Batch;
  readonly locale: string;
}

export interface CellVerdict extends Verdict {
  readonly cell: string;
  readonly values: number;
}

/** A batch is used by several cells, since making its folder costs more than evaluating it. */
const BATCHES = 4;

/**
 * The cells of a shell. Each gets its share of the random values; those with the IFS as it is get every single
 * character and the known hard cases as well.
 *
 * @param count how many random values the shell gets, over all of its cells
 */
export function cellsOf(shell: Shell, dir: string, encode: Encoder, count: number, seed: number): Cell[] {
  const places = Object.entries(shell.states).flatMap(([stateName, state]) =>
    Object.entries(shell.contexts).map(([contextName, context]) => ({
      stateName,
      state,
      contextName,
      context,
    })),
  );
  const share = Math.ceil(count / places.length);
  const batches = Array.from({ length: Math.min(BATCHES, places.length) }, (_, index) =>
    writeBatch(dir, `random-${index}`, randomValues(share, seed + index), encode),
  );
  const known = writeBatch(dir, 'known', [...SINGLE_CHARACTERS, ...EDGES], encode);
  return places.flatMap(({ stateName, state, contextName, context }, index) => {
    const name = `${contextName} (${stateName})`;
    const locale = index % 2 === 0 ? 'C.UTF-8' : 'C';
    const cell = { name, state, context, locale, batch: batches[index % batches.length]! };
    return stateName.includes('IFS')
      ? [cell]
      : [cell, { ...cell, name: `${name}, known values`, batch: known }];
  });
}

/** Runs the cells, as many at a time as there are processors. */
export async function runCells(shell: Shell, cells: readonly Cell[]): Promise<CellVerdict[]> {
  const verdicts: CellVerdict[] = [];
  const waiting = [...cells];
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const verdict = await evaluate(shell, cell.state, cell.context, cell.batch, cell.locale);
      verdicts.push({ ...verdict, cell: cell.name, values: cell.batch.values.length });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return verdicts;
}

/** The first few values that did not arrive, for a failing test's message. */
export function describeWrong(verdicts: readonly CellVerdict[]): string[] {
  return verdicts
    .filter(({ wrong, made }) => wrong.length > 0 || made.length > 0)
    .slice(0, 5)
    .map(({ cell, wrong, made, stderr }) => {
      const first = wrong[0];
      const value = first ? `${JSON.stringify(first.value)} arrived as ${JSON.stringify(first.seen)}` : '';
      return `${cell}: ${wrong.length} wrong, ${value}; made: ${made.join(' ')}; ${stderr.slice(0, 300)}`;
    });
}
