/**
 * Evaluates the output of env in real shells, with each of their options and in each context, in a directory
 * whose files are named after words of the output. The values must arrive byte for byte; the output of a
 * failure must remove them and pass the exit code on.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { envFormat } from '../../src/formats/env-formats';
import { printVariables } from '../../src/formats/format';
import { openDirectory } from '../harness/homes/directory';
import { runCommand } from '../harness/programs/program';
import { makeHostileDirectory } from './hostile-directory';
import { SHELLS, type Shell, savedEnvironment } from './shells';
import { EDGES, LONG, LONG_UNSAFE, MANY_RUNS, MIXED, SINGLE_CHARACTERS } from './values';

/** Values, the paths of the outputs that set them, and the directory in which a shell evaluates them. */
interface Batch {
  readonly values: readonly string[];
  readonly outputs: readonly string[];
  readonly failure: string;
  readonly directory: string;
  createdFiles(): string[];
}

/** One context of evaluation in one state of a shell. */
interface Cell {
  readonly name: string;
  readonly state: string;
  readonly context: (command: string) => string;
  readonly batch: Batch;
  readonly locale: string;
}

const nameOf = (index: number): string => `V${index}_ACCESS_TOKEN`;
const EXIT_CODE = 4;
/** Variables in one output. `gwtoken env` prints fewer, but each output costs two processes. */
const IN_ONE_OUTPUT = 48;

function writeBatch(name: Shell['format'], values: readonly string[]): Batch {
  const format = envFormat(name);
  const variables = values.map((value, index) => ({ name: nameOf(index), value }));
  const texts = variables.flatMap((_, index) =>
    index % IN_ONE_OUTPUT === 0
      ? [printVariables(variables.slice(index, index + IN_ONE_OUTPUT), format)]
      : [],
  );
  const removed = variables.map((each) => ({ name: each.name, value: undefined }));
  const failed = printVariables(removed, format) + format.fail?.(EXIT_CODE);
  const dir = openDirectory();
  const write = (file: string, text: string): string => {
    writeFileSync(join(dir, file), text);
    return join(dir, file);
  };
  const directory = join(dir, 'hostile');
  const createdFiles = makeHostileDirectory(directory, [...texts, failed]);
  const outputs = texts.map((text, index) => write(`output-${index}`, text));
  return { values, outputs, failure: write('failure', failed), directory, createdFiles };
}

/** Writes the outputs of a format, which all of its shells evaluate. */
function writeBatches(format: Shell['format']) {
  return {
    all: writeBatch(format, [...CHARACTERS, ...EDGES]),
    mixed: writeBatch(format, MIXED),
    long: writeBatch(format, LONG),
  };
}

/** All printable characters in one value, and those that take sh no process in a value each. */
const CHARACTERS = [
  SINGLE_CHARACTERS.join(''),
  ...SINGLE_CHARACTERS.filter((character) => /[\w./@+=%,-]/.test(character)),
];

let batches: Readonly<Record<Shell['format'], ReturnType<typeof writeBatches>>>;
beforeAll(() => {
  batches = { sh: writeBatches('sh'), fish: writeBatches('fish') };
});

/** Evaluates the batch in one process of the shell, one `eval` for each output. Returns its problems. */
async function problemsOf(shell: Shell, { name, state, context, batch, locale }: Cell): Promise<string[]> {
  const scratch = openDirectory();
  const script = join(scratch, 'script');
  const [set, failed] = [join(scratch, 'set'), join(scratch, 'failed')];
  const evals = batch.outputs.map((path) => context(`cat '${path}'`));
  const failure = context(`cat '${batch.failure}'`);
  const lines = [state, ...evals, shell.save(set), failure, ...shell.keepStatus(shell.save(failed))];
  writeFileSync(script, `${lines.join('\n')}\n`);
  const PATH = '/usr/local/bin:/usr/bin:/bin';
  const env = { PATH, HOME: scratch, LC_ALL: locale, SCRATCH: join(scratch, 'sourced') };
  const words = [shell.command, ...shell.args, script];
  const { code, stderr } = await runCommand(words, { cwd: batch.directory, env, timeoutMs: 60_000 });
  const variables = savedEnvironment(set);
  const wrong = batch.values.flatMap((value, index) => {
    const arrived = variables[nameOf(index)];
    return arrived === value ? [] : [`${JSON.stringify(value)} arrived as ${JSON.stringify(arrived)}`];
  });
  const left = Object.keys(savedEnvironment(failed)).filter((each) => each.endsWith('_ACCESS_TOKEN'));
  // A new file shows that a program ran or a redirection took effect.
  const created = batch.createdFiles();
  // `set -e` ends the script at the failed eval.
  const endsWell = code === EXIT_CODE && existsSync(failed) !== state.includes('set -e');
  if (wrong.length + left.length + created.length === 0 && endsWell) return [];
  const values = `${wrong.length} wrong: ${wrong[0]?.slice(0, 300)}`;
  return [
    `${name}: ${values}; left: ${left[0]}; created: ${created.join(' ')}; code ${code}; ${stderr.slice(0, 300)}`,
  ];
}

/**
 * Returns the cells: the usual, unquoted context in each state of the shell, and the other contexts without options.
 * Only the first ones get all values: each run of characters costs a process, and the texts of all values consist of
 * the same few kinds of words (test/formats/statements.test.ts).
 */
function cellsOf(shell: Shell): Cell[] {
  const { all, mixed, long } = batches[shell.format];
  const [[, usual] = [], ...others] = Object.entries(shell.contexts);
  const cell = (name: string, more: Partial<Cell>): Cell => ({
    ...{ name, state: '', context: usual!, batch: mixed, locale: 'C.UTF-8' },
    ...more,
  });
  // Of sh's shells, dash and busybox have a limit, and busybox takes longer.
  const hasLimit = shell.name === 'dash' || shell.format !== 'sh';
  return [
    cell('all values', { batch: all }),
    cell('values of 32 KiB', { batch: long }),
    ...(hasLimit ? [cell('many runs', { batch: writeBatch(shell.format, [MANY_RUNS, LONG_UNSAFE]) })] : []),
    ...shell.states.map((state) => cell(state, { state })),
    ...others.map(([name, context]) => cell(name, { context, locale: 'C' })),
  ];
}

test.for(SHELLS)(
  '$name gets exact values, and none after a failure',
  { timeout: 300_000 },
  async (shell, { needs }) => {
    needs('posix', shell.debian);
    const waiting = cellsOf(shell);
    const problems: string[] = [];
    const work = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift())
        problems.push(...(await problemsOf(shell, cell)));
    };
    await Promise.all([work(), work()]);
    expect(problems.slice(0, 5)).toEqual([]);
  },
);
