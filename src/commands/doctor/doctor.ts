import type { Command } from '../command';
import { CLIENT_FLAGS, FETCH_FLAGS, JSON_OUTPUT, VERBOSE } from '../flags';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'try the next token request step by step, and say what is wrong',
  flags: [...CLIENT_FLAGS, ...FETCH_FLAGS, JSON_OUTPUT, VERBOSE],
  group: 'setup',
  examples: [
    { line: 'gwtoken doctor', does: 'request a token, and say at which step it fails' },
    { line: 'gwtoken doctor --region us', does: 'try another client' },
    { line: 'gwtoken doctor --json', does: 'for a bug report (contains no secrets or tokens)' },
  ],
  async run(flags, world) {
    const { showDiagnosis } = await import('./show');
    await showDiagnosis(flags, world);
  },
};
