import type { Command } from './command';
import { VERBOSE } from './flags';

/** `gwtoken help`, without its work: what it prints is laid out by commander, which only cli/ knows. */
export const helpCommand: Command = {
  name: 'help',
  args: '[name...]',
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
