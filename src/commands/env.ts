import type { Format } from '../formats/format';
import { maskToken } from '../formats/mask';
import { ENV_FORMATS } from '../formats/names';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import { untilSignal } from '../signals';
import { shellWord } from '../text';
import type { Env } from '../world';
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
    if (!world.stdout.isTTY()) return;
    const hint = await hintFor(flags, world.env);
    if (hint === undefined) return;
    const paint = await world.terminal.paint('stderr');
    const what = flags['unset'] === true ? 'unset' : 'set';
    const text = `nothing was ${what} yet; to ${what} the variables, run: ${hint}`;
    world.stderr.write(`${hintLine(text, paint)}\n`);
  },
  async onFailure(argv, exitCode, world) {
    const { failureOutput } = await import('../formats/env');
    // On a terminal nobody evaluates it.
    if (!world.stdout.isTTY()) world.stdout.write(failureOutput(argv, exitCode));
    return exitCode;
  },
};

/** Returns the line that evaluates the output; without --format, in the shell of `$SHELL`. */
async function hintFor(flags: FlagValues, env: Env): Promise<string | undefined> {
  const { envOptions, formatOfShell } = await import('../formats/env');
  const shell = flags['format'] === undefined ? formatOfShell(env['SHELL']) : undefined;
  const given = shell === undefined ? flags : { ...flags, format: shell };
  const { format } = envOptions(given);
  return format.hint?.(commandLine(given, format));
}

/** Returns the command line as it was given, for the hint. */
function commandLine(flags: FlagValues, { quote = shellWord }: Format): string {
  const words = QUICK_FLAGS.env.flatMap(({ name }) => {
    const value = flags[name];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
    return [`--${name}`, shellWord(value) === value ? value : quote(value)];
  });
  return ['gwtoken env', ...words].join(' ');
}
