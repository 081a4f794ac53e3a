import { maskToken } from '../formats/mask';
import { ENV_FORMATS } from '../formats/names';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import { untilSignal } from '../signals';
import type { World } from '../world';
import type { Command } from './command';
import { QUICK_FLAGS } from './flags';
import { hintLine } from './report';

export const envCommand: Command = {
  name: 'env',
  summary: 'print commands that export the token to your shell',
  flags: QUICK_FLAGS.env,
  evaluated: true,
  group: 'token',
  values: { format: ENV_FORMATS },
  examples: [
    {
      line: 'eval $(gwtoken env --region eu)',
      does: 'set GWTOKEN_ACCESS_TOKEN and related variables (sh, bash, zsh, ksh)',
    },
    {
      line: 'gwtoken env --format fish | source',
      does: 'the same in fish; other shells: gwtoken help shells',
    },
    { line: 'eval $(gwtoken env --region us --prefix US_)', does: 'add a second token as US_ACCESS_TOKEN' },
  ],
  async run(flags, world) {
    const { envDestination, envOptions, envOutput, unsetOutput } = await import('../formats/env');
    const options = envOptions(flags);
    const write = envDestination(options, world);
    if (flags['unset'] === true) {
      write(unsetOutput(options));
    } else {
      const sources = gather(flags, world);
      const { selectedToken } = await import('./selected-token');
      // A signal is a failure like any other: the shell that evaluates the output must not carry on.
      const { token } = await untilSignal(world.onSignals, () => selectedToken(sources, world));
      const output = envOutput(token, options);
      maskToken(token.accessToken, world);
      write(output);
    }
    if (world.stdout.isTTY()) await sayWhatToType(flags, world);
  },
  async onFailure(argv, exitCode, world) {
    const { failureOutput } = await import('../formats/env');
    // On a terminal nobody evaluates it.
    if (!world.stdout.isTTY()) world.stdout.write(failureOutput(argv, exitCode));
    return exitCode;
  },
};

/** Says on a terminal, where nothing is evaluated, which line does that. */
async function sayWhatToType(
  flags: FlagValues,
  { env, stderr, terminal }: Pick<World, 'env' | 'stderr' | 'terminal'>,
): Promise<void> {
  const { evaluatingLine } = await import('../formats/env');
  const line = evaluatingLine(flags, env);
  if (line === undefined) return;
  const what = flags['unset'] === true ? 'unset' : 'set';
  const hint = `nothing was ${what} yet; to ${what} the variables, run: ${line}`;
  stderr.write(`${hintLine(hint, await terminal.paint('stderr'))}\n`);
}
