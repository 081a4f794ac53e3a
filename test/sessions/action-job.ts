/** Runs the action as GitHub's runner runs an action with `using: node24`. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { readFileCommands } from '../harness/github-runner';
import { openDirectory } from '../harness/homes/directory';
import { startCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const FILE = join(ROOT, '.github', 'actions', 'gwtoken', 'action.yml');
export const ACTION: {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, object>>;
  readonly runs: { readonly using: 'node24'; readonly main: string };
} = parse(readFileSync(FILE, 'utf8'));
export const FOLDER = dirname(FILE);

/** Opens a job. Its environment has no PATH and no HOME: only `env` and the runner's variables for a step. */
export function openJob() {
  const dir = openDirectory();
  const temp = join(dir, 'temp');
  mkdirSync(temp);
  const env: Record<string, string> = { PATH: '' };

  /** Starts the step. `variables` override the runner's; `directory` contains another copy of the action. */
  function start(
    inputs: Readonly<Record<string, string>>,
    variables: Record<string, string> = {},
    directory = FOLDER,
  ) {
    const given = Object.entries(ACTION.inputs).map(([name, { default: value = '' }]) => [
      `INPUT_${name.toUpperCase()}`,
      inputs[name] ?? value,
    ]);
    const commands = mkdtempSync(join(temp, '_runner_file_commands-'));
    const files = { GITHUB_ENV: join(commands, 'set_env'), GITHUB_OUTPUT: join(commands, 'set_output') };
    for (const path of Object.values(files)) writeFileSync(path, '');
    const runner = { CI: 'true', GITHUB_ACTIONS: 'true', RUNNER_TEMP: temp };
    const { pid, result } = startCommand([process.execPath, join(directory, ACTION.runs.main)], {
      env: { ...runner, ...env, ...files, ...Object.fromEntries(given), ...variables },
      cwd: temp,
    });
    const ended = result.then(({ code, signal, stdout, stderr }) => {
      // The runner also reads the files of a failed step.
      const read = (path: string) => Object.fromEntries(readFileCommands(readFileSync(path, 'utf8')));
      const output = stdout + stderr;
      const written = { env: read(files.GITHUB_ENV), outputs: read(files.GITHUB_OUTPUT) };
      return { code, signal, ...written, output };
    });
    return { pid, ended };
  }
  return { dir, env, start, run: (...args: Parameters<typeof start>) => start(...args).ended };
}

export const SECRET = 'a $(secret) "%';

/** Starts an identity server for each region, with the clients `eu`, `us` and `us-sandbox`. */
export async function startIdentities() {
  const client = (clientId: string) => ({ clientId, clientSecret: SECRET });
  const identity = {
    eu: await startIdentityServer({ clients: [client('eu')], scope: 'read eu' }),
    us: await startIdentityServer({ clients: [client('us'), client('us-sandbox')] }),
  };
  const inputsFor = (region: 'eu' | 'us', clientId: string = region) => ({
    region,
    'auth-url': identity[region].authUrl,
    'client-id': clientId,
    'client-secret': SECRET,
  });
  return { identity, inputsFor };
}

/** Checks that the action prints only the masks of the secret and the token. */
export function expectHidden(output: string, token: string) {
  expect(output).toBe(`\n::add-mask::${SECRET.replace('%', '%25')}\n\n::add-mask::${token}\n`);
}
