/** What the help of a command says above and below its flags, in 80 columns. */

import { columns } from '../commands/columns';
import type { Command } from '../commands/command';

const WIDTH = 80;

/** What the command does, and below it its examples, since they are what most people look for. */
export function helpAbove({ summary, examples = [] }: Command): string {
  const rows = examples.map(({ line, does }) => [`  ${line}`, does]);
  const aligned = columns(rows);
  const lines = aligned.some((line) => line.length > WIDTH)
    ? rows.flatMap(([line = '', does = '']) => [line, `      ${does}`])
    : aligned;
  return [sentence(summary), '', 'Examples:', ...lines].join('\n');
}

/** Where the rest is; it would be the same below most commands. */
export function helpBelow({ flags }: Command): string {
  const topics = [
    ...(flags.some(({ setting }) => setting) ? ['Variables and config keys: gwtoken help environment'] : []),
    'Exit codes: gwtoken help exit-codes',
  ];
  return `\n${topics.join('\n')}`;
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
