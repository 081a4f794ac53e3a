/** The GitHub action's program. Sets gwtoken's variables from inputs, and outputs from a new token. */
import { join } from 'node:path';
import { printError } from '../src/cli/run';
import { selectedToken } from '../src/commands/selected-token';
import { FORKS_GET_NO_SECRETS, hideSecrets } from '../src/credentials/variables';
import { EXIT_CODES, GwtokenError, usage } from '../src/errors';
import { envDestination, envOptions, envOutput } from '../src/formats/env-formats';
import { escapeData, maskInLog } from '../src/formats/mask';
import { hintsFor } from '../src/hints/hints';
import { gather } from '../src/settings/resolve';
import { variableSpelling } from '../src/settings/table';
import { parseSwitch } from '../src/settings/values';
import { Interrupted } from '../src/signals';
import { disableDebuggerSignal, openQuickWorld } from '../src/system/quick-world';
import { openWorld } from '../src/system/world';
import { oneLine } from '../src/text';
import type { World } from '../src/world';

declare const __RELEASE__: Pick<World, 'version' | 'repository'>;

const REQUIRED = ['region', 'auth-url', 'client-id', 'client-secret'];
/** Inputs that stand for gwtoken's settings. */
const INPUTS = [...REQUIRED, 'sandbox', 'min-ttl'];
/** The connection to the endpoint depends on the runner, so these come from the job. */
const KEPT_FROM_JOB = ['GWTOKEN_TIMEOUT', 'GWTOKEN_RETRIES', 'GWTOKEN_CA_FILE'];

disableDebuggerSignal(process);
// Exit code 1 unless the run sets another: an event loop that runs dry must not look like success.
process.exitCode = 1;
const { env } = process;
for (const name of Object.keys(env))
  if (name.startsWith('GWTOKEN_') && !KEPT_FROM_JOB.includes(name)) delete env[name];
// The runner converts an input's name to upper case, and keeps its hyphens.
const input = (name: string): string => env[`INPUT_${name.toUpperCase()}`] ?? '';
for (const name of INPUTS) env[variableSpelling(name)] = input(name);
// Names a missing directory, so that a self-hosted runner's config file has no effect.
env['GWTOKEN_CONFIG_DIR'] = join(__dirname, 'no-config');

const { world } = openWorld(process, __RELEASE__, openQuickWorld(process));
// Each step requests a token of its own.
const settings = gather({ cache: false }, world);
void main()
  .then(() => 0, report)
  .then((code) => process.exit(code));

async function main(): Promise<void> {
  const secret = input('client-secret');
  if (secret) maskInLog(secret, world);
  const exportsEnv = parseSwitch(input('export-env') || 'false', 'input export-env', 'export-env');
  // The runner does not enforce `required`.
  const empty = REQUIRED.filter((name) => input(name) === '');
  if (empty.length > 0) throw emptyInputs(empty);
  const targets = ['github-output', ...(exportsEnv ? ['github-env'] : [])].map((format) => {
    const options = envOptions({ format });
    return { options, write: envDestination(options.format, world) };
  });
  const { token } = await selectedToken(settings, world);
  for (const { options, write } of targets) write(envOutput(token, options));
}

function emptyInputs(names: readonly string[]): GwtokenError {
  const forks = names.some((name) => name.startsWith('client-')) ? ` (${FORKS_GET_NO_SECRETS})` : '';
  const inputs = names.join(' and ');
  return usage(`empty input: ${inputs}${forks}`, [`set ${inputs} under "with" in the step`]);
}

/** Reports an error as an annotation, and its hints below it. Resolves with the exit code. */
async function report(error: unknown): Promise<number> {
  // The user cancelled the step.
  if (error instanceof Interrupted) return error.exitCode;
  if (!(error instanceof GwtokenError)) {
    await printError(error, settings.flags, world);
    return EXIT_CODES.local;
  }
  // An error may repeat a part of the secret, but the runner masks only all of it.
  const texts = [error.message, ...hintsFor(error, settings)].map((text) => hideSecrets(text, env));
  const [message = '', ...hints] = texts.map(withInputs);
  const lines = [`::error title=gwtoken::${escapeData(message)}`, ...hints.map((hint) => `hint: ${hint}`)];
  world.stderr.write(`${lines.join('\n')}\n`);
  return error.exitCode;
}

/** Returns one line that names the inputs of the step, or the job's variables, instead of flags. */
function withInputs(text: string): string {
  return oneLine(text).replace(/(?:--|GWTOKEN_)([\w-]+)/g, (name, word: string) => {
    const key = word.toLowerCase().replaceAll('_', '-');
    // No input takes the path of a file.
    if (key === 'client-secret-file') return "the file's text";
    const variable = variableSpelling(key);
    if (KEPT_FROM_JOB.includes(variable)) return variable;
    return INPUTS.includes(key) ? `input ${key}` : name;
  });
}
