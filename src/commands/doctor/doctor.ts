import { FETCH_CODES } from '../../errors';
import { COMMAND_FLAGS } from '../../flags';
import type { Command } from '../command';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check settings, folders, keychain and network',
  flags: COMMAND_FLAGS.doctor,
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
