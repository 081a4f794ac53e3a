/** Rewrites the spellings that can only mean one thing to the one that the grammar has. */

import { COMMANDS, withSubcommands } from '../commands/all';
import type { Command } from '../commands/command';
import { type Flag, isSpelling, spellings } from '../commands/flags';

type Words = readonly string[];

/**
 * Puts flags behind the command, turns `--sandbox=true` into `--sandbox`, `get --json` into `get --format
 * json`, `config set KEY=VALUE` into two words, `version` into `--version`, and a bare `config` or
 * `completion` into its help. Words of another program and unknown words stay as they are.
 */
export function plainSpelling(argv: Words): Words {
  const before = leadingFlags(argv);
  const name = argv[before];
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) {
    if (name === 'version') return ['--version'];
    return name === undefined ? argv : [name, ...argv.slice(0, before), ...argv.slice(before + 1)];
  }
  const below = command.subcommands?.find((each) => each.name === argv[before + 1]);
  const path = below ? [command.name, below.name] : [command.name];
  const words = [...argv.slice(0, before), ...argv.slice(before + path.length)];
  const [assignment = '', ...more] = words;
  const [key = '', value] = assignment.split(/=(.*)/s);
  if (below?.name === 'set' && more.length === 0 && value !== undefined) return [...path, key, value];
  const isBare = argv.length === 1 && ['config', 'completion'].includes(command.name);
  return [...path, ...(isBare ? ['--help'] : plainFlags(words, below ?? command))];
}

const FLAGS = COMMANDS.flatMap(withSubcommands).flatMap(({ flags }) => flags);

function flagOf(word: string): Flag | undefined {
  return FLAGS.find((flag) => isSpelling(word, flag));
}

/** Tells if any command has this flag. */
export function isFlag(word: string): boolean {
  return flagOf(word) !== undefined;
}

function takesValue(word: string | undefined): boolean {
  return word !== undefined && flagOf(word)?.value !== undefined;
}

/** Counts the words before the command: flags and their values. */
function leadingFlags(words: Words): number {
  let count = 0;
  while (words[count]?.startsWith('-') && words[count] !== '--') count += takesValue(words[count]) ? 2 : 1;
  return Math.min(count, words.length);
}

function plainFlags(words: Words, command: Command): Words {
  // Which words are curl's is for commander to say.
  if (command.passThrough === 'flags') return words;
  const dashes = words.includes('--') ? words.indexOf('--') : words.length;
  const end = command.passThrough ? leadingFlags(words) : dashes;
  const ours = words
    .slice(0, end)
    .flatMap((word, index) => (takesValue(words[index - 1]) ? word : plainFlag(word, command)));
  return [...ours, ...words.slice(end)];
}

function plainFlag(word: string, { flags }: Command): string | Words {
  const hasFlag = (name: string): boolean => flags.some((flag) => flag.name === name);
  if (word === '--json' && !hasFlag('json') && hasFlag('format')) return ['--format', 'json'];
  const [, name = '', value = ''] = /^(--[\w-]+)=(1|true|0|false)$/.exec(word) ?? [];
  const flag = flagOf(name);
  if (!flag || flag.value !== undefined) return word;
  if (value === '1' || value === 'true') return name;
  return spellings(flag).filter((spelling) => spelling !== name);
}
