import { EXEC_FAILED } from '../../errors';
import type { Command } from '../command';
import { CLIENT_FLAGS, FETCH_FLAGS, FRESH, PREFIX, VERBOSE } from '../flags';

export const execCommand: Command = {
  name: 'exec',
  args: '<command> [args...]',
  summary: 'run a command with a token in its environment',
  flags: [
    ...CLIENT_FLAGS,
    ...FETCH_FLAGS,
    PREFIX,
    FRESH,
    {
      name: 'token-file',
      group: 'output',
      help: 'also keep a valid token in a file (path in GWTOKEN_TOKEN_FILE)',
    },
    VERBOSE,
  ],
  passThrough: true,
  group: 'token',
  examples: [
    {
      line: 'gwtoken exec --region eu -- ./deploy.sh',
      does: 'run ./deploy.sh with GWTOKEN_ACCESS_TOKEN set',
    },
    {
      line: 'gwtoken exec --token-file -- ./serve',
      does: 'also keep a valid token in the file $GWTOKEN_TOKEN_FILE',
    },
  ],
  values: { command: 'commands' },
  async run(flags, world, command = '', ...args) {
    const { runCommand } = await import('./run');
    return await runCommand(flags, world, command, args);
  },
  onFailure: (_, exitCode) => (exitCode === 126 || exitCode === 127 ? exitCode : EXEC_FAILED),
};
