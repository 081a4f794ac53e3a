/** The command `gwtoken env`. */
import { envDestination, envFormat, envOptions, envOutput, evaluatingLine } from '../formats/env-formats';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { hintLine } from './report';
import { selectedToken } from './selected-token';

export async function printStatements(flags: FlagValues, world: World): Promise<void> {
  const options = envOptions(flags);
  const write = envDestination(options.format, world);
  if (flags.unset) {
    write(envOutput(undefined, options));
  } else {
    const sources = gather(flags, world);
    const { token } = await selectedToken(sources, world);
    write(envOutput(token, options));
  }
  if (world.stdout.isTTY()) await sayWhatToType(flags, world);
}

/** Names the line that sets the variables: on a terminal nothing is evaluated. */
async function sayWhatToType({ format, unset }: FlagValues, { env, stderr, terminal }: World): Promise<void> {
  const [command, what] = unset ? ['gwtoken env --unset', 'unset'] : ['gwtoken env', 'set'];
  const line =
    format === undefined ? evaluatingLine(command, env) : envFormat(format).evaluatingLine?.(command);
  if (line === undefined) return;
  // $SHELL is the login shell, and another may run in it.
  const others = format === undefined ? ' (other shells: gwtoken help shells)' : '';
  const hint = `nothing was ${what} yet; to ${what} the variables, run: ${line}${others}`;
  stderr.write(`${hintLine(hint, await terminal.paint('stderr'))}\n`);
}
