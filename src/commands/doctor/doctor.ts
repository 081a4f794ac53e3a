import { FETCH_CODES } from '../../exit-codes';
import { CLIENT_FLAGS, FETCH_FLAGS, JSON_OUTPUT, VERBOSE } from '../../flags';
import type { Command } from '../command';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check settings, folders, keychain and network',
  flags: [...CLIENT_FLAGS, ...FETCH_FLAGS, JSON_OUTPUT, VERBOSE],
  group: 'setup',
  examples: [
    { line: 'gwtoken doctor', does: 'one line a check, with what mends it' },
    { line: 'gwtoken doctor --region eu --json', does: 'for a bug report; no secret or token is in it' },
  ],
  exitCodes: FETCH_CODES,
  async run(flags, world) {
    const { showDiagnosis } = await import('./show');
    await showDiagnosis(flags, world);
  },
};
