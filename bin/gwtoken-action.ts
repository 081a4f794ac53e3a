/** The GitHub action's program: its inputs become gwtoken's variables, and a new token's its outputs. */
import { join } from 'node:path';
import { failWith } from '../src/cli/run';
import { selectedToken } from '../src/commands/selected-token';
import { usage } from '../src/errors';
import { envDestination, envOptions, envOutput } from '../src/formats/env-formats';
import { escapeData, maskToken } from '../src/formats/mask';
import { gather } from '../src/settings/resolve';
import { parseSwitch } from '../src/settings/values';
import { disableDebuggerSignal, openQuickWorld } from '../src/system/quick-world';
import { openWorld } from '../src/system/world';
import { FORKS_GET_NO_SECRETS } from '../src/waiting';
import type { World } from '../src/world';

declare const __VERSION__: string;

const REQUIRED = ['region', 'auth-url', 'client-id', 'client-secret'];
/** The connection to the endpoint depends on the runner, so these come from the job. */
const OF_THE_JOB = ['GWTOKEN_TIMEOUT', 'GWTOKEN_RETRIES', 'GWTOKEN_CA_FILE'];
const LABEL = 'gwtoken: error: ';

disableDebuggerSignal(process);
// If the event loop runs dry, the runner must not take that for success.
process.exitCode = 1;
const { env } = process;
for (const name of Object.keys(env))
  if (/^(GWTOKEN_|FORCE_COLOR$)/.test(name) && !OF_THE_JOB.includes(name)) delete env[name];
// The runner converts an input's name to upper case, and keeps its hyphens.
const input = (name: string): string => env[`INPUT_${name.toUpperCase()}`] ?? '';
for (const name of [...REQUIRED, 'sandbox', 'min-ttl'])
  env[`GWTOKEN_${name.toUpperCase().replace('-', '_')}`] = input(name);
// Not the config file of a self-hosted runner.
env['GWTOKEN_CONFIG_DIR'] = join(__dirname, 'no-config');

const { world } = openWorld(process, __VERSION__, openQuickWorld(process));
const stderr = { ...world.stderr, write: (text: string) => world.stderr.write(annotation(text)) };
// A cancelled step ends at once: there is nothing to clean up.
const ours: World = { ...world, stderr, onSignals: () => () => {} };
void main()
  .then(
    () => 0,
    (error) => failWith([], error, false, ours),
  )
  .then((code) => process.exit(code));

async function main(): Promise<void> {
  const secret = input('client-secret');
  if (secret) maskToken(secret, world);
  const exportsEnv = parseSwitch(input('export-env') || 'false', 'input export-env', 'export-env');
  // The runner does not enforce `required`.
  const empty = REQUIRED.filter((name) => input(name) === '');
  if (empty.length > 0) throw isEmpty(empty);
  const targets = ['github-output', ...(exportsEnv ? ['github-env'] : [])].map((format) => {
    const options = envOptions({ format });
    return { options, write: envDestination(options.format, world) };
  });
  const { token } = await selectedToken(gather({ cache: false }, ours), ours);
  maskToken(token.accessToken, world);
  for (const { options, write } of targets) write(envOutput(token, options));
}

function isEmpty(names: readonly string[]): Error {
  const forks = names.some((name) => name.startsWith('client-')) ? ` (${FORKS_GET_NO_SECRETS})` : '';
  const inputs = names.join(' and ');
  return usage(`empty input: ${inputs}${forks}`, `set ${inputs} under "with" in the step`);
}

/** Returns an error of the CLI's as an annotation, with inputs in the place of variables and flags. */
function annotation(text: string): string {
  if (!text.startsWith(LABEL)) return text;
  const names = /(?:--|\bGWTOKEN_)(region|auth[-_]url|sandbox|min[-_]ttl|client_id|client_secret)\b/gi;
  const named = text.replace(names, (_, name: string) => `input ${name.toLowerCase().replace('_', '-')}`);
  const [first = '', ...hints] = named.split('\n');
  return [`::error title=gwtoken::${escapeData(first.slice(LABEL.length))}`, ...hints].join('\n');
}
