import { usage } from '../errors';
import { GET_FORMATS, getFormat } from '../formats/get';
import { maskToken } from '../formats/mask';
import { gather } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import type { Command } from './command';
import { QUICK_FLAGS, STDOUT } from './flags';

export const getCommand: Command = {
  name: 'get',
  summary: 'print a valid access token',
  flags: QUICK_FLAGS.get,
  group: 'token',
  values: { format: GET_FORMATS },
  examples: [
    { line: 'gwtoken get --region eu', does: "print the EU client's token" },
    { line: 'gwtoken get --format json --fresh', does: 'request a new token and print its details' },
    {
      line: 'gwtoken get --format curl | curl -K - https://gateway.example.com/',
      does: 'call the gateway; the token never appears in the process list',
    },
  ],
  async run(flags, world) {
    const format = getFormat(flags);
    checkOutput(flags['output']);
    const sources = gather(flags, world);
    const { selectedToken } = await import('./selected-token');
    const answer = await selectedToken(sources, world);
    maskToken(answer.token.accessToken, world);
    const text = format.write(answer, world.now());
    const { output = STDOUT } = flags;
    if (output === STDOUT) world.stdout.write(text);
    else world.replaceFile(String(output), text);
  },
};

/** Refuses a file with a format's name: in aws and gcloud `--output json` is the format. */
function checkOutput(file: FlagValues[string]): void {
  if (!GET_FORMATS.includes(String(file))) return;
  throw usage(
    `--output takes a file, and ${file} is a format`,
    `use --format ${file}, or --output ./${file}`,
  );
}
