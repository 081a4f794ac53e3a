import { VERBOSE } from '../flags';
import type { Command } from './command';

/** `gwtoken help`, without its work: what it prints is laid out by commander, which only cli/ knows. */
export const helpCommand: Command = {
  name: 'help',
  args: '[name...]',
  usage: '[COMMAND|TOPIC]',
  summary: 'show the help of a command, or a topic',
  flags: [VERBOSE],
  group: 'setup',
  examples: [
    { line: 'gwtoken help config set', does: 'the help of a command' },
    { line: 'gwtoken help ci', does: 'a topic: the token in a CI job' },
  ],
};
