import { envDestination, envFormat, envOptions, envOutput, evaluatingLine } from '../formats/env-formats';
import { isStdout } from '../formats/output';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { hintLine } from './report';
import { readSettings, selectedToken } from './selected-token';

export async function printStatements(flags: FlagValues, world: World): Promise<void> {
  const options = envOptions(flags);
  const write = envDestination(options.format, world, flags.output);
  if (flags.unset) {
    write(envOutput(undefined, options));
  } else {
    const { token } = await selectedToken(readSettings(flags, world), world);
    write(envOutput(token, options));
  }
  if (world.stdout.isTTY() && isStdout(flags.output)) await sayWhatToType(flags, world);
}

/** Says how to have the statements evaluated, because on a terminal nothing evaluates them. */
async function sayWhatToType({ format, unset }: FlagValues, { env, stderr, terminal }: World): Promise<void> {
  const line = format === undefined ? evaluatingLine('…', env) : envFormat(format).evaluatingLine?.('…');
  if (line === undefined) return;
  // $SHELL is the login shell, and another may run in it.
  const others = format === undefined ? ' (or see: gwtoken help shells)' : '';
  const hint = `nothing was ${unset ? 'unset' : 'set'} yet; wrap it: ${line}${others}`;
  stderr.write(`${hintLine(hint, await terminal.paint('stderr'))}\n`);
}
