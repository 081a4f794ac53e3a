/**
 * Runs the action as GitHub's runner runs one of `using: node24`: its Node, the main file, an INPUT_ variable for each
 * input (the default where none is given), files for variables and outputs that are read when it has ended.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type Log, readFileCommands, readLog } from '../harness/github-runner';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, object>>;
  readonly runs: { readonly using: string; readonly main: string };
}

export interface ActionRun {
  readonly code: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  /** What later steps of the job get in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Both streams, in the order of their arrival. */
  readonly output: string;
  readonly log: Log;
}

export const readAction = (file: string): Action => parse(readFileSync(file, 'utf8')) as Action;

/**
 * @param node the runner's own Node
 * @param env the environment of the job
 * @param temp the runner's folder
 */
export async function runAction(
  file: string,
  given: Readonly<Record<string, string>>,
  {
    node,
    env,
    temp,
  }: { readonly node: string; readonly env: Readonly<Record<string, string>>; readonly temp: string },
): Promise<ActionRun> {
  const { inputs, runs } = readAction(file);
  if (runs.using !== 'node24') throw new Error(`cannot run ${runs.using}`);
  for (const name of Object.keys(given)) if (!(name in inputs)) throw new Error(`no input ${name}`);
  const ours = Object.entries(inputs).map(([name, { default: value = '' }]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    given[name] ?? value,
  ]);
  const folder = mkdtempSync(join(temp, '_runner_file_commands-'));
  const files = { GITHUB_ENV: join(folder, 'set_env'), GITHUB_OUTPUT: join(folder, 'set_output') };
  for (const path of Object.values(files)) writeFileSync(path, '');
  const child = spawn(node, [join(dirname(file), runs.main)], {
    env: {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      RUNNER_TEMP: temp,
      ...env,
      ...files,
      ...Object.fromEntries(ours),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: temp,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // The runner reads the files of a failed step too.
  const [later, outputs] = [files.GITHUB_ENV, files.GITHUB_OUTPUT].map((path) =>
    Object.fromEntries(readFileCommands(readFileSync(path, 'utf8'))),
  );
  return { code, outputs: outputs!, env: later!, output, log: readLog(output) };
}
