/** The command `gwtoken get`. */
import { usage } from '../errors';
import { GET_FORMAT_NAMES, getFormat } from '../formats/get-formats';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import { STDOUT } from './flags';
import { selectedToken } from './selected-token';

export async function printToken(flags: FlagValues, world: World): Promise<void> {
  const format = getFormat(flags);
  checkOutput(flags.output);
  const answer = await selectedToken(gather(flags, world), world);
  const text = format(answer, world.now());
  const { output = STDOUT } = flags;
  if (output === STDOUT) world.stdout.write(text);
  else world.replaceFile(output, text);
}

/** Rejects an empty name, and the name of a format: in aws and gcloud `--output json` is the format. */
function checkOutput(file: string | undefined): void {
  if (file === '')
    throw usage('--output is empty', { reason: 'bad-value', allowed: 'a file, or - for stdout' });
  if (file === undefined || !GET_FORMAT_NAMES.includes(file)) return;
  throw usage(`--output takes a file, and ${file} is a format`, {
    reason: 'bad-value',
    allowed: `--format ${file}, or --output ./${file}`,
  });
}
