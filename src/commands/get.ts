import { getToken } from '../core/get-token';
import { maskToken } from '../core/mask';
import { gather, resolveClient } from '../core/settings';
import { tokenFormat } from '../core/token-output';
import { COMMAND_FLAGS } from '../options';
import type { Verb } from './verb';

export const getCommand: Verb = {
  name: 'get',
  summary: 'print a valid access token',
  flags: COMMAND_FLAGS.get,
  async run(flags, world) {
    const write = tokenFormat(String(flags['format'] ?? 'token'), '--format');
    const given = gather(flags, world);
    const client = resolveClient(given);
    const obtained = await getToken(given, client, world);
    maskToken(obtained.token.accessToken, world);
    world.stdout.write(write(obtained, world.now()));
  },
};
