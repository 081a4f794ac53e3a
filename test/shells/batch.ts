/** Values in batches, each evaluated by one process of a shell, and what a child of that process sees of them. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Variable } from '../../src/formats/format';
import { filesIn, fillHostileFolder } from './hostile-folder';
import type { Shell } from './shells';

export type Encoder = (variables: readonly Variable[]) => string;

/** Some values on disk: an output of each three, and the folder that they are evaluated in. */
export interface Batch {
  readonly values: readonly string[];
  readonly outputs: readonly string[];
  readonly hostile: string;
  readonly files: readonly string[];
}

export interface Verdict {
  /** The values that did not arrive, and what arrived instead. */
  readonly wrong: readonly { readonly value: string; readonly seen: string | undefined }[];
  /** What was made in the hostile folder: a file that ran, a redirection that took effect. */
  readonly made: readonly string[];
  readonly stderr: string;
}

/** @param together how many values one output has; the fourth variable of the real `gwtoken env` is a number */
export function writeBatch(
  dir: string,
  name: string,
  values: readonly string[],
  encode: Encoder,
  together = 3,
): Batch {
  const folder = join(dir, name);
  const hostile = join(folder, 'hostile');
  mkdirSync(hostile, { recursive: true });
  const outputs: string[] = [];
  const texts: string[] = [];
  for (let first = 0; first < values.length; first += together) {
    const variables = values
      .slice(first, first + together)
      .map((value, index) => ({ name: nameOf(first + index), value }));
    const text = encode(variables);
    const path = join(folder, `output-${first}`);
    writeFileSync(path, text);
    texts.push(text);
    outputs.push(path);
  }
  fillHostileFolder(hostile, texts);
  return { values, outputs, hostile, files: filesIn(hostile) };
}

/**
 * Evaluates the batch in one process of the shell: one `eval` for each output, in the state and way given.
 *
 * @param apart each in a subshell of its own, so that one that ends the shell does not take the others with it
 */
export async function evaluate(
  shell: Shell,
  state: string,
  context: (command: string) => string,
  batch: Batch,
  locale: string,
  apart = false,
): Promise<Verdict> {
  const scratch = mkdtempSync(join(tmpdir(), 'gwtoken-cell-'));
  try {
    const saved = join(scratch, 'environment');
    const script = join(scratch, 'script');
    const evals = batch.outputs.map((path) => context(`cat '${path}'`));
    const lines = apart
      ? [state, ...evals.map((each) => `(${each}\nenv -0 >> '${saved}')`)]
      : [state, ...evals, shell.save(saved)];
    writeFileSync(script, `${lines.join('\n')}\n`);
    const env = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: scratch,
      LC_ALL: locale,
      SCRATCH: join(scratch, 'sourced'),
    };
    const stderr = await run(shell.command, [...shell.args, script], { cwd: batch.hostile, env });
    const seen = environmentIn(saved);
    const wrong = batch.values
      .map((value, index) => ({ value, seen: seen.get(nameOf(index)) }))
      .filter((each) => each.value !== each.seen);
    const before = new Set(batch.files);
    return { wrong, made: filesIn(batch.hostile).filter((file) => !before.has(file)), stderr };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function nameOf(index: number): string {
  return `V${index}_ACCESS_TOKEN`;
}

function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<string> {
  return new Promise((resolve) => {
    const limits = { timeout: 60_000, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 } as const;
    const child = execFile(command, [...args], { ...options, ...limits }, (error, _, stderr) =>
      resolve(error ? `${stderr}${error.message.split('\n')[0]}` : stderr),
    );
    child.stdin?.end();
  });
}

/** By bytes: latin1 keeps each as one character, and all that we hand over is ASCII. */
function environmentIn(path: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch {
    return new Map();
  }
  return new Map(
    text.split('\0').map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}
