import type { Command } from '../command';
import { CLIENT_FLAGS, FETCH_FLAGS, JSON_OUTPUT, VERBOSE } from '../flags';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'say whether get will work and, if not, why',
  flags: [...CLIENT_FLAGS, ...FETCH_FLAGS, JSON_OUTPUT, VERBOSE],
  group: 'setup',
  examples: [
    { line: 'gwtoken doctor', does: 'request a token for each client, and say what is wrong' },
    { line: 'gwtoken doctor --verbose', does: 'show every check' },
    { line: 'gwtoken doctor --json', does: 'for a bug report (contains no secrets or tokens)' },
  ],
  async run(flags, world) {
    const { showDiagnosis } = await import('./show');
    await showDiagnosis(flags, world);
  },
};
