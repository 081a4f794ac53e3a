import type { Command } from '../command';
import { CLIENT_FLAGS, FETCH_FLAGS, JSON_OUTPUT, VERBOSE } from '../flags';

export const statusCommand: Command = {
  name: 'status',
  summary: 'list stored clients and show which one is selected',
  flags: [
    ...CLIENT_FLAGS,
    // A check never uses the cache.
    ...FETCH_FLAGS.filter(({ name }) => name !== 'cache'),
    JSON_OUTPUT,
    { name: 'check', group: 'general', help: 'verify each client by requesting a token' },
    VERBOSE,
  ],
  group: 'client',
  examples: [
    { line: 'gwtoken status', does: 'list stored clients, the selected one first' },
    { line: 'gwtoken status --check --json', does: 'verify every client, as JSON' },
  ],
  async run(flags, world) {
    const { showStatus } = await import('./show');
    await showStatus(flags, world);
  },
};
