/** The words that a hint may repeat: any other may be a secret that was typed at the wrong place. */
import { COMMANDS } from '../commands/all';
import type { Command } from '../commands/command';
import { type Flag, spellings } from '../commands/flags';

type Words = readonly string[];

/** The mark for words that are left out. */
export const LEFT_OUT = '…';

/**
 * Returns the line with a mark for each word that gwtoken does not know, and that is no value of a flag it
 * knows.
 */
export function onlyKnown(argv: Words): Words {
  const commands = allCommands(COMMANDS);
  const flags = commands.flatMap((command) => command.flags);
  const known = new Set(['--', ...commands.flatMap(wordsOf), ...flags.flatMap(valuesOf)]);
  const valued = new Set(flags.filter(({ value }) => value !== undefined).flatMap(namesOf));
  const names = new Set(flags.flatMap(namesOf));
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => {
    const [flag = '', value] = /^(--[^=]*)=(.*)$/s.exec(word)?.slice(1) ?? [];
    if (known.has(word) || names.has(word)) return word;
    if (index < end && (names.has(flag) || valued.has(argv[index - 1] ?? ''))) return word;
    if (value === undefined) return LEFT_OUT;
    return `${flag}=${known.has(value) ? value : LEFT_OUT}`;
  });
}

function allCommands(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command) => [command, ...allCommands(command.subcommands ?? [])]);
}

function wordsOf({ name, values = {} }: Command): Words {
  return [name, ...Object.values(values).flatMap((words) => (Array.isArray(words) ? words : []))];
}

function namesOf(flag: Flag): Words {
  return [...spellings(flag), ...(flag.short === undefined ? [] : [`-${flag.short}`])];
}

function valuesOf({ setting }: Flag): Words {
  return setting?.values ?? [];
}
