/** The GitHub action's program: its inputs are flags and credentials for the CLI's core. */
import { report } from '../src/cli/run';
import { selectedQuery, tokenOrNextSteps } from '../src/commands/selected-token';
import { checkClientId, checkSecret } from '../src/credentials/credentials';
import { type CredentialSource, givenSource } from '../src/credentials/sources';
import { are } from '../src/credentials/variables';
import { usage } from '../src/errors';
import { envDestination, envOptions, envOutput } from '../src/formats/env';
import { escapeData, maskToken } from '../src/formats/mask';
import { FORKS_GET_NO_SECRETS } from '../src/patience';
import { NO_CONFIG } from '../src/settings/resolve';
import type { SettingSources } from '../src/settings/table';
import { parseSwitch } from '../src/settings/values';
import { closeDebugger, openQuickWorld } from '../src/system/quick-world';
import { painter } from '../src/system/terminal/capabilities';
import { openWorld } from '../src/system/world';
import type { Env, World } from '../src/world';

declare const __VERSION__: string;

const REQUIRED = ['region', 'auth-url', 'client-id', 'client-secret'];
/** The inputs that are flags of the CLI. */
const FLAGS = ['region', 'auth-url', 'sandbox', 'min-ttl'];
/** The connection to the endpoint depends on the runner, so these come from its environment variables. */
const OF_THE_JOB = ['GWTOKEN_TIMEOUT', 'GWTOKEN_RETRIES', 'GWTOKEN_CA_FILE'];
const LABEL = 'gwtoken: error: ';

closeDebugger(process);
// If the event loop runs dry, the runner must not take that for success.
process.exitCode = 1;
void main(process.env).then((code) => process.exit(code));

async function main(variables: Env): Promise<number> {
  const { platform, geteuid, pid, kill } = process;
  const kept = ([name]: [string, unknown]): boolean =>
    !name.startsWith('GWTOKEN_') || OF_THE_JOB.includes(name);
  const env = Object.fromEntries(Object.entries(variables).filter(kept));
  const opened = openQuickWorld({ env, platform, pid, kill, ...(geteuid && { geteuid }) });
  const { world } = openWorld(process, __VERSION__, opened);
  Object.assign(world.terminal, { paint: () => painter({}, false) });
  try {
    // The runner converts the name to upper case, and keeps its hyphens.
    await run((name) => env[`INPUT_${name.toUpperCase()}`] ?? '', world);
    return 0;
  } catch (error) {
    const stderr = { ...world.stderr, write: (text: string) => world.stderr.write(annotation(text)) };
    return await report(error, false, { ...world, stderr });
  }
}

/** @throws GwtokenError; then nothing has been written */
async function run(input: (name: string) => string, world: World): Promise<void> {
  const secret = input('client-secret');
  if (secret) maskToken(secret, world);
  const exportsEnv = parseSwitch(input('export-env') || 'false', 'input export-env', 'export-env');
  checkRequired(REQUIRED.filter((name) => input(name) === ''));
  const formats = exportsEnv ? ['github-output', 'github-env'] : ['github-output'];
  const targets = formats.map((format) => {
    const options = envOptions({ format });
    return { options, write: envDestination(options, world) };
  });
  const set = FLAGS.filter((name) => input(name) !== '');
  const sources: SettingSources = {
    flags: { cache: false, ...Object.fromEntries(set.map((name) => [name, input(name)])) },
    flagPrefix: 'input ',
    env: world.env,
    // Not the config file of a self-hosted runner.
    config: NO_CONFIG,
  };
  const source = sourceOf(input('client-id'), secret);
  const { token } = await tokenOrNextSteps({ ...selectedQuery(sources, world), source }, sources, world);
  const outputs = targets.map(({ options, write }) => ({ write, text: envOutput(token, options) }));
  maskToken(token.accessToken, world);
  for (const { write, text } of outputs) write(text);
}

/** Throws for inputs that are empty: the runner does not enforce `required`. */
function checkRequired(empty: readonly string[]): void {
  if (empty.length === 0) return;
  const forks = empty.some((name) => name.startsWith('client-')) ? ` (${FORKS_GET_NO_SECRETS})` : '';
  throw usage(
    `${are(empty.map((name) => `input ${name}`))} empty${forks}`,
    `set ${empty.join(' and ')} under "with" in the step`,
  );
}

function sourceOf(clientId: string, secret: string): CredentialSource {
  const credentials = {
    clientId: checkClientId(clientId, 'input client-id'),
    clientSecret: checkSecret(secret, 'input client-secret'),
  };
  return givenSource('input client-id and input client-secret', credentials);
}

/** Returns a report of the CLI's, which begins with its label, as an annotation. */
function annotation(text: string): string {
  const [first = '', ...hints] = text.split('\n');
  return [`::error title=gwtoken::${escapeData(first.slice(LABEL.length))}`, ...hints].join('\n');
}
