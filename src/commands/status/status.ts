import { FETCH_CODES } from '../../exit-codes';
import { CLIENT_FLAGS, FETCH_FLAGS, JSON_OUTPUT, VERBOSE } from '../../flags';
import type { Command } from '../command';

export const statusCommand: Command = {
  name: 'status',
  summary: 'show the known clients and the one that the settings name',
  flags: [
    ...CLIENT_FLAGS,
    ...FETCH_FLAGS,
    { name: 'check', group: 'general', help: 'read the credentials and ask the endpoint with them' },
    JSON_OUTPUT,
    VERBOSE,
  ],
  group: 'client',
  examples: [
    { line: 'gwtoken status', does: 'which clients there are, and which one the settings name' },
    { line: 'gwtoken status --check --json', does: 'fetch a token with each, for a script' },
  ],
  exitCodes: FETCH_CODES,
  async run(flags, world) {
    const { showStatus } = await import('./show');
    await showStatus(flags, world);
  },
};
