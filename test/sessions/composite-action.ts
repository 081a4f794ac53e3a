/**
 * Runs the steps of a composite action as GitHub's runner does: each `run` as a file for the shell with the runner's own
 * flags, with files for variables and outputs that are read when the step has ended. What this cannot do, it refuses:
 * no key of a step and no expression is passed over.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type Log, readFileCommands, readLog } from '../harness/github-runner';

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run: string;
}
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export interface ActionRun {
  /** The exit codes of the steps that ran; a step that fails is the last. */
  readonly codes: readonly (number | null)[];
  readonly outputs: Readonly<Record<string, string>>;
  /** What later steps of the job get in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Both streams of all steps, in the order of their arrival. */
  readonly output: string;
  readonly log: Log;
}

/** GitHub's names for the shells that a step may have: docs.github.com, workflow syntax, `jobs.<job_id>.steps[*].shell`. */
const SHELLS: Readonly<Record<string, readonly string[]>> = {
  bash: ['--noprofile', '--norc', '-eo', 'pipefail'],
};
/** The first `bash` on a Windows machine may be that of another system. */
const BASH = process.platform === 'win32' ? 'C:\\Program Files\\Git\\bin\\bash.exe' : 'bash';

export const readAction = (file: string): Action => parse(readFileSync(file, 'utf8')) as Action;

/** @param env the environment of the job; `temp` the runner's folder, which outlives a step but not the job */
export async function runAction(
  file: string,
  given: Readonly<Record<string, string>>,
  { env: job, temp }: { readonly env: Readonly<Record<string, string>>; readonly temp: string },
): Promise<ActionRun> {
  const action = readAction(file);
  if (action.runs.using !== 'composite') throw new Error(`cannot run ${action.runs.using}`);
  for (const name of Object.keys(given)) if (!(name in action.inputs)) throw new Error(`no input ${name}`);
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: value = '' }]) => [name, given[name] ?? value]),
  );
  const steps: Record<string, Map<string, string>> = {};
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
      const [context, ...path] = expression.trim().split('.');
      if (context === 'inputs' && path.length === 1 && path[0]! in inputs) return inputs[path[0]!]!;
      const [step = '', what, name = ''] = path;
      const ids = action.runs.steps.map(({ id }) => id);
      if (context === 'steps' && what === 'outputs' && ids.includes(step))
        return steps[step]?.get(name) ?? '';
      throw new Error(`cannot evaluate ${expression}`);
    });

  const later: Record<string, string> = {};
  const codes: (number | null)[] = [];
  let output = '';
  for (const [index, { name: _, id, shell, env = {}, run, ...unknown }] of action.runs.steps.entries()) {
    const flags = SHELLS[shell];
    if (!flags || Object.keys(unknown).length > 0) throw new Error(`cannot run step ${index + 1}`);
    const folder = join(temp, `_runner_file_commands-${index}-${Object.keys(later).length}-${Date.now()}`);
    mkdirSync(folder, { recursive: true });
    const files = { GITHUB_ENV: join(folder, 'set_env'), GITHUB_OUTPUT: join(folder, 'set_output') };
    for (const path of Object.values(files)) writeFileSync(path, '');
    const script = join(folder, 'script.sh');
    writeFileSync(script, evaluate(run));
    const ended = await runScript([...flags, script], {
      ...job,
      ...later,
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(String(value))])),
      ...files,
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: dirname(file),
      RUNNER_TEMP: temp,
    });
    output += ended.output;
    codes.push(ended.code);
    // The runner reads the files of a failed step too.
    Object.assign(later, Object.fromEntries(readFileCommands(readFileSync(files.GITHUB_ENV, 'utf8'))));
    if (id !== undefined) steps[id] = readFileCommands(readFileSync(files.GITHUB_OUTPUT, 'utf8'));
    if (ended.code !== 0) break;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value)]);
  return { codes, outputs: Object.fromEntries(outputs), env: later, output, log: readLog(output) };
}

function runScript(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(BASH, args, { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: env['GITHUB_WORKSPACE'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
