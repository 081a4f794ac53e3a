/** The command `gwtoken env`. */
import { maskToken } from '../formats/mask';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import { untilSignal } from '../waiting';
import type { World } from '../world';
import { hintLine } from './report';
import { selectedToken } from './selected-token';

export async function printStatements(flags: FlagValues, world: World): Promise<void> {
  const { envDestination, envOptions, envOutput, unsetOutput } = await import('../formats/env-output');
  const options = envOptions(flags);
  const write = envDestination(options, world);
  if (flags['unset'] === true) {
    write(unsetOutput(options));
  } else {
    const sources = gather(flags, world);
    // A signal is a failure like any other: the shell that evaluates the output must not carry on.
    const { token } = await untilSignal(world.onSignals, () => selectedToken(sources, world));
    const output = envOutput(token, options);
    maskToken(token.accessToken, world);
    write(output);
  }
  if (world.stdout.isTTY()) await sayWhatToType(flags, world);
}

/** Says on a terminal, where nothing is evaluated, which line does that. */
async function sayWhatToType(
  flags: FlagValues,
  { env, stderr, terminal }: Pick<World, 'env' | 'stderr' | 'terminal'>,
): Promise<void> {
  const { evaluatingLine } = await import('../formats/env-output');
  const line = evaluatingLine(flags, env);
  if (line === undefined) return;
  const what = flags['unset'] === true ? 'unset' : 'set';
  const hint = `nothing was ${what} yet; to ${what} the variables, run: ${line}`;
  stderr.write(`${hintLine(hint, await terminal.paint('stderr'))}\n`);
}
