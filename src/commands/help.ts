import type { Command } from './command';
import { VERBOSE } from './flags';

/** The command `gwtoken help` without its work: commander lays out the text, and only cli/ imports that. */
export const helpCommand: Command = {
  name: 'help',
  args: '[name] [section...]',
  usage: '[COMMAND|TOPIC]',
  summary: 'show help for a command or topic',
  flags: [VERBOSE],
  group: 'setup',
  examples: [
    { line: 'gwtoken help config set', does: 'help for a command' },
    { line: 'gwtoken help ci', does: 'a topic: CI systems' },
    { line: 'gwtoken help ci gitlab', does: 'one section of it' },
  ],
};
