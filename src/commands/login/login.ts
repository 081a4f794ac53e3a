import type { Command } from '../command';
import { CLIENT_FLAGS, FETCH_FLAGS, VERBOSE } from '../flags';

export const loginCommand: Command = {
  name: 'login',
  summary: "verify a client's credentials and store them in the keychain",
  flags: [
    ...CLIENT_FLAGS,
    {
      name: 'client-id',
      value: 'ID',
      group: 'client',
      help: 'client ID (prompted for if omitted)',
    },
    { name: 'secret-stdin', group: 'client', help: 'read the client secret from stdin' },
    { name: 'verify', negative: 'only', group: 'client', help: 'store without verifying first' },
    // A token that is only to verify the credentials may last as long as it likes.
    ...FETCH_FLAGS.filter(({ name }) => name !== 'min-ttl'),
    VERBOSE,
  ],
  group: 'client',
  examples: [
    { line: 'gwtoken login', does: 'prompt for everything' },
    {
      line: 'gwtoken login --region us --auth-url https://identity.us.example.com',
      does: 'add a client in the other region',
    },
    {
      line: 'gwtoken login --sandbox --client-id my-id --secret-stdin <secret.txt',
      does: 'non-interactive, for scripts',
    },
  ],
  async run(flags, world) {
    const { logIn } = await import('./steps');
    await logIn(flags, world);
  },
};
