/** Runs a program of the user's for its output, such as `curl --help all`. */
import { orUndefined } from '../../errors';
import type { World } from '../../world';
import { withinLimit } from '../limit';
import { helperEnvironment, runHelper } from './helper-program';
import { programFile } from './program-file';

/** A virus scanner may delay the first start of a program. */
const ENDS_WITHIN_MS = 10_000;

export async function programOutput(
  { env: ownEnv, platform }: Pick<World, 'env' | 'platform'>,
  command: string,
  args: readonly string[],
): Promise<string> {
  const env = helperEnvironment(ownEnv, 'PATHEXT', 'SystemRoot');
  const file = orUndefined(() => programFile({ command, args, env, platform, isOurs: true }));
  if (file === undefined) return '';
  const run = withinLimit(ENDS_WITHIN_MS, (late) => runHelper(file, args, env, late));
  return (await run.catch(() => undefined))?.stdout ?? '';
}
