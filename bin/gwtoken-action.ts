/**
 * The program of the GitHub action (.github/actions/gwtoken): a second entry point beside main.ts. Its inputs come in
 * `INPUT_*` from the runner, and it makes one request; there is no cache, since every job starts empty.
 */
import { exitCodeFor, GwtokenError, usage } from '../src/errors';
import { escapeData, maskToken } from '../src/formats/ci';
import { envDestination, envOptions, envOutput } from '../src/formats/env';
import { gather, resolveClient } from '../src/settings/resolve';
import { parseSwitch } from '../src/settings/values';
import { type ActionWorld, LOOKUP_CHILD, openActionWorld } from '../src/system/action-world';
import { closeDebugger } from '../src/system/processes/privacy';
import { oneLine } from '../src/text';
import { fetchToken } from '../src/token/fetch';
import { minTtlProblem, resolveQuery } from '../src/token/query';
import type { Env } from '../src/world';

declare const __VERSION__: string;

/** The inputs that become settings: `client-id` is what GWTOKEN_CLIENT_ID is elsewhere. */
const REQUIRED = ['region', 'auth-url', 'client-id', 'client-secret'];
const INPUTS = [...REQUIRED, 'sandbox', 'min-ttl'];
/** The connection to the endpoint depends on the runner, so these come from its environment variables. */
const OF_THE_JOB = ['GWTOKEN_TIMEOUT', 'GWTOKEN_RETRIES', 'GWTOKEN_CA_FILE'];
/** Makes maskToken print GitHub's command. */
const ON_GITHUB: Env = { GITHUB_ACTIONS: 'true' };

// The runner passes no arguments.
if (process.argv[2] === LOOKUP_CHILD) void import('../src/system/wire/lookup-child');
else start();

function start(): void {
  closeDebugger(process);
  const world = openActionWorld(process, __VERSION__, givenBy(process.env));
  // If the event loop runs dry, the runner must not take that for success.
  process.exitCode = 1;
  void run(world).then(
    () => {
      process.exitCode = 0;
    },
    (error) => {
      if (!(error instanceof GwtokenError)) throw error;
      report(error, world);
      process.exitCode = exitCodeFor(error.kind);
    },
  );
}

/** The variables that stand for the inputs, without any other that would override them. */
function givenBy(env: Env): Env {
  return Object.fromEntries([
    ...INPUTS.map((name) => [variableOf(name), inputOf(env, name)]),
    ...[...OF_THE_JOB, 'GITHUB_OUTPUT', 'GITHUB_ENV'].map((name) => [name, env[name]]),
  ]);
}

/** The runner converts the name to upper case, and keeps its hyphens. */
function inputOf(env: Env, name: string): string {
  return env[`INPUT_${name.toUpperCase()}`] ?? '';
}

function variableOf(input: string): string {
  return `GWTOKEN_${input.toUpperCase().replaceAll('-', '_')}`;
}

/** @throws GwtokenError; then nothing has been written */
async function run(world: ActionWorld): Promise<void> {
  const exportsEnv = parseSwitch(
    inputOf(process.env, 'export-env') || 'false',
    'input export-env',
    'export-env',
  );
  checkRequired(world.env);
  const given = gather({}, world);
  const query = resolveQuery(given, resolveClient(given), world);
  const formats = exportsEnv ? ['github-output', 'github-env'] : ['github-output'];
  const targets = formats.map((format) => {
    const options = envOptions({ format });
    return { options, write: envDestination(options, world) };
  });
  const { plan, settings } = query;
  if (plan.kind !== 'variables') throw new Error('the credentials are not in the inputs');
  const token = await fetchToken(query, plan.credentials, world);
  const problem = minTtlProblem(token, settings, world.now());
  if (problem) throw problem;
  const outputs = targets.map(({ options, write }) => ({ write, text: envOutput(token, options) }));
  maskToken(token.accessToken, { env: ON_GITHUB, stderr: world.stderr });
  for (const { write, text } of outputs) write(text);
}

/** The runner does not enforce `required`. */
function checkRequired(env: Env): void {
  const empty = REQUIRED.filter((name) => !env[variableOf(name)]);
  if (empty.length === 0) return;
  const forks = empty.some((name) => name.startsWith('client-'))
    ? ' (CI systems withhold secrets from forks)'
    : '';
  throw usage(
    `${empty.map((name) => `input ${name}`).join(' and ')} ${empty.length > 1 ? 'are' : 'is'} empty${forks}`,
    `set ${empty.join(' and ')} under "with" in the step`,
  );
}

/** As an annotation of the job, with the hints in its log. */
function report(error: GwtokenError, { stdout }: ActionWorld): void {
  const lines = [
    `::error title=gwtoken::${escapeData(oneLine(asInputs(error.message)))}`,
    ...error.hints.map((hint) => `hint: ${oneLine(asInputs(hint))}`),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

/** Replaces what a step does not have in a message, flags, variables and commands, by what it uses. */
function asInputs(text: string): string {
  return text
    .replace(/\bGWTOKEN_[A-Z_]+\b/g, (variable) => {
      const input = INPUTS.find((name) => variableOf(name) === variable);
      return input === undefined ? variable : `input ${input}`;
    })
    .replace(/--ca-file(?: or|,) (GWTOKEN_CA_FILE)(?: or the config key ca-file)?/, '$1')
    .replace(/--timeout\b/, 'GWTOKEN_TIMEOUT')
    .replace(/avoid --fresh .*/, 'get the token in one step, and use its outputs in the others')
    .replace(/gwtoken login stores .*/, 'client-id and client-secret are inputs of their own')
    .replace(/--region (eu|us)\b/, 'region: $1')
    .replace(/--sandbox\b/, 'sandbox: true');
}
