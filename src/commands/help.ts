import { usage } from '../errors';
import type { FlagValues } from '../settings/table';
import { quoted } from '../text';
import type { Command } from './command';
import { VERBOSE } from './flags';

/** Text is the same on a terminal and in a pipe, but for bold and colours. */
const FORMATS = ['text', 'markdown'] as const;

/** `gwtoken help`, without its work: what it prints is laid out by commander, which only cli/ knows. */
export const helpCommand: Command = {
  name: 'help',
  args: '[name...]',
  usage: '[COMMAND|TOPIC]',
  summary: 'show help for a command or topic',
  flags: [
    {
      name: 'format',
      value: 'FORMAT',
      group: 'output',
      help: `format of a topic: ${FORMATS.join(' (default) or ')}`,
    },
    VERBOSE,
  ],
  values: { format: FORMATS },
  group: 'setup',
  examples: [
    { line: 'gwtoken help config set', does: 'help for a command' },
    { line: 'gwtoken help ci', does: 'a topic: CI systems' },
    { line: 'gwtoken help ci gitlab', does: 'one section of it' },
  ],
};

/** Whether the flags ask for a topic as it was written. */
export function wantsMarkdown({ format = FORMATS[0] }: FlagValues): boolean {
  if ((FORMATS as readonly unknown[]).includes(format)) return format === 'markdown';
  throw usage(
    `unknown format ${quoted(String(format))} (from --format)`,
    `use one of: ${FORMATS.join(', ')}`,
  );
}
