import type { Command } from '../command';
import { CLIENT_FLAGS, FETCH_FLAGS, JSON_OUTPUT, VERBOSE } from '../flags';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check settings, directories, keychain and network',
  flags: [...CLIENT_FLAGS, ...FETCH_FLAGS, JSON_OUTPUT, VERBOSE],
  group: 'setup',
  examples: [
    { line: 'gwtoken doctor', does: 'run all checks and suggest fixes' },
    { line: 'gwtoken doctor --region eu --json', does: 'for a bug report (contains no secrets or tokens)' },
  ],
  async run(flags, world) {
    const { showDiagnosis } = await import('./show');
    await showDiagnosis(flags, world);
  },
};
