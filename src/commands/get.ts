import { GET_FORMATS, tokenFormat } from '../formats/get';
import { maskToken } from '../formats/mask';
import { gather } from '../settings/resolve';
import type { Command } from './command';
import { QUICK_FLAGS } from './flags';

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
    const write = tokenFormat(flags);
    const sources = gather(flags, world);
    const { selectedToken } = await import('./selected-token');
    const answer = await selectedToken(sources, world);
    maskToken(answer.token.accessToken, world);
    world.stdout.write(write(answer, world.now(), () => world.stdout.isTTY()));
  },
};
