/** Values in batches, each evaluated by one process of a shell, as a child of that process sees them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Variable } from '../../src/formats/format';
import { openFolder } from '../harness/homes/folder';
import { runCommand } from '../harness/programs/program';
import { filesIn, fillHostileFolder } from './hostile-folder';
import { type Shell, savedEnvironment } from './shells';

/** Some values on disk: an output of each three, and the folder that they are evaluated in. */
export interface Batch {
  readonly values: readonly string[];
  readonly outputs: readonly string[];
  readonly hostile: string;
  readonly files: readonly string[];
}

/** One way to evaluate in one state of a shell. */
export interface Cell {
  readonly name: string;
  readonly state: string;
  readonly context: (command: string) => string;
  readonly batch: Batch;
  readonly locale: string;
}

/** The fourth variable of the real `gwtoken env` is a number, so three values go into one output. */
export function writeBatch(
  values: readonly string[],
  encode: (variables: readonly Variable[]) => string,
): Batch {
  const folder = openFolder();
  const hostile = join(folder, 'hostile');
  mkdirSync(hostile);
  const texts: string[] = [];
  for (let first = 0; first < values.length; first += 3) {
    const three = values.slice(first, first + 3);
    texts.push(encode(three.map((value, index) => ({ name: nameOf(first + index), value }))));
  }
  const outputs = texts.map((text, index) => {
    const path = join(folder, `output-${index}`);
    writeFileSync(path, text);
    return path;
  });
  fillHostileFolder(hostile, texts);
  return { values, outputs, hostile, files: filesIn(hostile) };
}

/** Evaluates the batch in one process of the shell, one `eval` for each output. Gives the first fault. */
export async function problemsOf(shell: Shell, cell: Cell): Promise<string[]> {
  const { name, state, context, batch, locale } = cell;
  const scratch = openFolder();
  const saved = join(scratch, 'environment');
  const script = join(scratch, 'script');
  const evals = batch.outputs.map((path) => context(`cat '${path}'`));
  writeFileSync(script, `${[state, ...evals, shell.save(saved)].join('\n')}\n`);
  const PATH = '/usr/local/bin:/usr/bin:/bin';
  const env = { PATH, HOME: scratch, LC_ALL: locale, SCRATCH: join(scratch, 'sourced') };
  const words = [shell.command, ...shell.args, script];
  const { stderr } = await runCommand(words, { cwd: batch.hostile, env, timeoutMs: 60_000 });
  const seen = savedEnvironment(saved);
  const wrong = batch.values.flatMap((value, index) => {
    const arrived = seen[nameOf(index)];
    return arrived === value ? [] : [`${JSON.stringify(value)} arrived as ${JSON.stringify(arrived)}`];
  });
  // A program that ran, a redirection that took effect.
  const made = filesIn(batch.hostile).filter((file) => !batch.files.includes(file));
  if (wrong.length + made.length === 0) return [];
  const told = `${wrong.length} wrong: ${wrong[0]?.slice(0, 300)}; made: ${made.join(' ')}`;
  return [`${name}: ${told}; ${stderr.slice(0, 300)}`];
}

function nameOf(index: number): string {
  return `V${index}_ACCESS_TOKEN`;
}
