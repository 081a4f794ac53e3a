import { envDestination, envOptions, envOutput, failureOutput, unsetOutput } from '../core/env-output';
import { FORMAT_NAMES } from '../core/formats/table';
import { maskToken } from '../core/mask';
import { gather, resolveClient } from '../core/settings';
import { ENDING_SIGNALS, Interrupted } from '../errors';
import { COMMAND_FLAGS, type FlagValues } from '../options';
import type { World } from '../world';
import { FETCH_CODES, type Verb } from './verb';

export const envCommand: Verb = {
  name: 'env',
  summary: 'print statements that set the token in the environment of a shell',
  flags: COMMAND_FLAGS.env,
  evaluated: true,
  group: 'token',
  values: { format: FORMAT_NAMES },
  examples: [
    {
      line: 'eval $(gwtoken env --region eu)',
      does: 'GWTOKEN_ACCESS_TOKEN and its like, in any POSIX shell',
    },
    { line: 'gwtoken env --format fish | source', does: 'the same in fish; others: gwtoken help shells' },
    { line: 'eval $(gwtoken env --region us --prefix US_)', does: 'US_ACCESS_TOKEN, beside the first' },
  ],
  exitCodes: FETCH_CODES,
  async run(flags, world) {
    const options = envOptions(flags);
    const write = envDestination(options, world);
    if (flags['unset'] === true) {
      write(unsetOutput(options));
    } else {
      const given = gather(flags, world);
      const client = resolveClient(given);
      const { getToken } = await import('../core/get-token');
      const { token } = await unlessSignalled(world, () => getToken(given, client, world));
      const output = envOutput(token, options);
      maskToken(token.accessToken, world);
      write(output);
    }
    const hint = options.format.hint?.(commandLine(flags));
    if (hint === undefined || !world.stdout.isTTY()) return;
    const paint = await world.terminal.paint('stderr');
    world.stderr.write(`${paint.cyan('hint:')} nothing was set; this does it: ${hint}\n`);
  },
  onFailure(argv, exitCode, world) {
    world.stdout.write(failureOutput(argv, exitCode));
    return exitCode;
  },
};

/** A signal is a failure like any other: the shell that evaluates the output must not sail on. */
async function unlessSignalled<T>(world: Pick<World, 'onSignals'>, work: () => Promise<T>): Promise<T> {
  let stop: () => void = () => {};
  const signalled = new Promise<never>((_, reject) => {
    stop = world.onSignals(Object.keys(ENDING_SIGNALS) as NodeJS.Signals[], (signal) =>
      reject(new Interrupted(signal)),
    );
  });
  try {
    return await Promise.race([work(), signalled]);
  } finally {
    stop();
  }
}

/** The command as it was given, for the hint. */
function commandLine(flags: FlagValues): string {
  const words = COMMAND_FLAGS.env.flatMap(({ name }) => {
    const value = flags[name];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
    return [`--${name}`, /^[\w@%+=:,./{}-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`];
  });
  return ['gwtoken env', ...words].join(' ');
}
