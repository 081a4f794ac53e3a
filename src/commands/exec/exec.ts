import { EXEC_FAILED } from '../../exit-codes';
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
      value: 'FILE',
      group: 'output',
      help: 'also keep a valid token in a file (named in GWTOKEN_TOKEN_FILE)',
    },
    VERBOSE,
  ],
  passThrough: 'arguments',
  group: 'token',
  examples: [
    {
      line: 'gwtoken exec --region eu -- ./deploy.sh',
      does: 'run ./deploy.sh with GWTOKEN_ACCESS_TOKEN set',
    },
    {
      line: 'gwtoken exec --token-file ./token -- ./serve',
      does: 'also keep a valid token in the file ./token',
    },
  ],
  values: { command: 'commands' },
  async run(flags, world, command = '', ...args) {
    const { runCommand } = await import('./run');
    return await runCommand(flags, world, command, args);
  },
  onFailure: failureCode,
};

export const curlCommand: Command = {
  name: 'curl',
  args: '<url> [args...]',
  summary: 'run curl with a token in its Authorization header',
  flags: [...CLIENT_FLAGS, ...FETCH_FLAGS, FRESH, VERBOSE],
  passThrough: 'flags',
  group: 'token',
  examples: [
    { line: 'gwtoken curl /orders', does: 'call the gateway: its URL is the config key api-url' },
    {
      line: 'gwtoken curl -r us https://gateway.example.com/orders -d @order.json',
      does: "curl's own options follow the URL",
    },
    {
      line: 'gwtoken curl -v https://gateway.example.com/orders -v',
      does: "the first -v is gwtoken's, the second curl's",
    },
  ],
  async run(flags, world, first = '', ...rest) {
    const { runCurl } = await import('./curl');
    return await runCurl(flags, world, first, rest);
  },
  onFailure: failureCode,
};

function failureCode(_: readonly string[], exitCode: number): number {
  return exitCode === 126 || exitCode === 127 ? exitCode : EXEC_FAILED;
}
