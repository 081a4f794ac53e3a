import type { Command } from '../command';
import { JSON_OUTPUT, NAMING_FLAGS, VERBOSE } from '../flags';

export const statusCommand: Command = {
  name: 'status',
  summary: 'list stored clients and show which one is selected',
  flags: [...NAMING_FLAGS, JSON_OUTPUT, VERBOSE],
  group: 'client',
  examples: [
    { line: 'gwtoken status', does: 'list stored clients, the selected one marked' },
    { line: 'gwtoken status --region us --json', does: 'mark another client, as JSON' },
  ],
  async run(flags, world) {
    const { showStatus } = await import('./stored-clients');
    await showStatus(flags, world);
  },
};
