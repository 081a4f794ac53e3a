/** The words that a hint may repeat: any other may be a secret that was typed at the wrong place. */
import { COMMANDS, withSubcommands } from '../commands/all';
import type { Command } from '../commands/command';
import { type Flag, spellings } from '../commands/flags';

type Words = readonly string[];

/** The mark for words that are left out. */
export const LEFT_OUT = '…';

/** Returns the line with a mark for each word that is neither gwtoken's nor the value of one of its flags. */
export function onlyKnown(argv: Words): Words {
  const commands = COMMANDS.flatMap(withSubcommands);
  const flags = commands.flatMap((command) => command.flags);
  const names = flags.flatMap(namesOf);
  const withValue = flags.filter(({ value }) => value !== undefined).flatMap(namesOf);
  const values = flags.flatMap(({ setting }) => setting?.values ?? []);
  const known = ['--', ...names, ...values, ...commands.flatMap(wordsOf)];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => {
    const [, flag = '', value = ''] = /^(--[^=]*=)(.*)$/s.exec(word) ?? [];
    const isValue = index < end && withValue.includes(argv[index - 1] ?? '');
    if (known.includes(word) || isValue || names.includes(flag.slice(0, -1))) return word;
    return flag + (known.includes(value) ? value : LEFT_OUT);
  });
}

function wordsOf({ name, values = {} }: Command): Words {
  return [name, ...Object.values(values).flatMap((words) => (Array.isArray(words) ? words : []))];
}

function namesOf(flag: Flag): Words {
  return [...spellings(flag), ...(flag.short === undefined ? [] : [`-${flag.short}`])];
}
