/** The GitHub action's program: its inputs become settings, and the CLI's core requests one token. */
import { report } from '../src/cli/run';
import { selectedToken } from '../src/commands/selected-token';
import { are } from '../src/credentials/variables';
import { usage } from '../src/errors';
import { envDestination, envOptions, envOutput } from '../src/formats/env';
import { escapeData, maskToken } from '../src/formats/mask';
import { FORKS_GET_NO_SECRETS } from '../src/patience';
import { gather } from '../src/settings/resolve';
import { parseSwitch } from '../src/settings/values';
import { painter } from '../src/system/terminal/capabilities';
import { closeDebugger, openWarm } from '../src/system/warm';
import { openWorld } from '../src/system/world';
import type { Env, World } from '../src/world';

declare const __VERSION__: string;

/** The inputs that become settings, each with its variable. */
const INPUTS = {
  region: 'GWTOKEN_REGION',
  'auth-url': 'GWTOKEN_AUTH_URL',
  'client-id': 'GWTOKEN_CLIENT_ID',
  'client-secret': 'GWTOKEN_CLIENT_SECRET',
  sandbox: 'GWTOKEN_SANDBOX',
  'min-ttl': 'GWTOKEN_MIN_TTL',
} as const;
const REQUIRED = ['region', 'auth-url', 'client-id', 'client-secret'] as const;
/** The connection to the endpoint depends on the runner, so these come from its environment variables. */
const OF_THE_JOB = ['GWTOKEN_TIMEOUT', 'GWTOKEN_RETRIES', 'GWTOKEN_CA_FILE'];
const LABEL = 'gwtoken: error: ';

closeDebugger(process);
// If the event loop runs dry, the runner must not take that for success.
process.exitCode = 1;
void main(process.env).then((code) => {
  process.exitCode = code;
});

async function main(inputs: Env): Promise<number> {
  const { platform, geteuid, pid, kill } = process;
  const env = settingsOf(inputs);
  const opened = openWarm({ env, platform, pid, kill, ...(geteuid && { geteuid }) });
  const { world, close } = openWorld(process, __VERSION__, opened);
  // Only the inputs count, not what a runner that is kept has in its home.
  Object.assign(world.config, { read: () => ({ path: '', general: {}, profiles: {} }) });
  Object.assign(world.terminal, { paint: () => painter({}, false) });
  try {
    await run(inputOf(inputs, 'export-env'), world);
    return 0;
  } catch (error) {
    const stderr = { ...world.stderr, write: (text: string) => world.stderr.write(annotated(text)) };
    return await report(error, false, { ...world, stderr });
  } finally {
    await close();
  }
}

/** The environment in which the inputs are the only settings. */
function settingsOf(env: Env): Env {
  const others = Object.entries(env).filter(
    ([name]) => !name.startsWith('GWTOKEN_') || OF_THE_JOB.includes(name),
  );
  const sources = Object.entries(INPUTS).map(([input, variable]) => [variable, inputOf(env, input)]);
  return { ...Object.fromEntries([...others, ...sources]), GWTOKEN_NO_CACHE: '1' };
}

/** The runner converts the name to upper case, and keeps its hyphens. */
function inputOf(env: Env, name: string): string {
  return env[`INPUT_${name.toUpperCase()}`] ?? '';
}

/** @throws GwtokenError; then nothing has been written */
async function run(exportEnv: string, world: World): Promise<void> {
  const secret = world.env[INPUTS['client-secret']];
  if (secret) maskToken(secret, world);
  const exportsEnv = parseSwitch(exportEnv || 'false', 'input export-env', 'export-env');
  checkRequired(world.env);
  const formats = exportsEnv ? ['github-output', 'github-env'] : ['github-output'];
  const targets = formats.map((format) => {
    const options = envOptions({ format });
    return { options, write: envDestination(options, world) };
  });
  const { token } = await selectedToken(gather({ fresh: true }, world), world);
  const outputs = targets.map(({ options, write }) => ({ write, text: envOutput(token, options) }));
  maskToken(token.accessToken, world);
  for (const { write, text } of outputs) write(text);
}

/** The runner does not enforce `required`. */
function checkRequired(env: Env): void {
  const empty = REQUIRED.filter((input) => !env[INPUTS[input]]);
  if (empty.length === 0) return;
  const forks = empty.some((input) => input.startsWith('client-')) ? ` (${FORKS_GET_NO_SECRETS})` : '';
  throw usage(
    `${are(empty.map((input) => `input ${input}`))} empty${forks}`,
    `set ${empty.join(' and ')} under "with" in the step`,
  );
}

/** Returns the CLI's words for an error as an annotation, with the inputs in place of variables and flags. */
function annotated(text: string): string {
  const named = Object.entries(INPUTS).reduce(
    (words, [input, variable]) =>
      words.replaceAll(variable, `input ${input}`).replaceAll(`--${input}`, `input ${input}`),
    text,
  );
  const [first = '', ...hints] = named.split('\n');
  return [`::error title=gwtoken::${escapeData(first.slice(LABEL.length))}`, ...hints].join('\n');
}
