/** The command `gwtoken get`. */
import { GET_FORMAT_NAMES, getFormat } from '../formats/get-formats';
import { outputTo } from '../formats/output';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { selectedToken } from './selected-token';

export async function printToken(flags: FlagValues, world: World): Promise<void> {
  const format = getFormat(flags);
  const write = outputTo(flags.output, GET_FORMAT_NAMES, world);
  const answer = await selectedToken(gather(flags, world), world);
  write(format(answer, world.now()));
}
