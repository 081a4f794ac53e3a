import { GET_FORMAT_NAMES, getFormat } from '../formats/get-formats';
import { outputTo } from '../formats/output';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { readSettings, selectedToken } from './selected-token';

export async function printToken(flags: FlagValues, world: World): Promise<void> {
  const format = getFormat(flags);
  const write = outputTo(flags.output, GET_FORMAT_NAMES, world);
  const answer = await selectedToken(readSettings(flags, world), world);
  write(format(answer, world.now()));
}
