/** What can stand where the last word of a command line is. */
import type { Flag } from '../../flags';
import type { Command, Words } from '../command';

/** What an argument or a flag's value can be, by its name, where the command itself does not say. */
export type CommonValues = Readonly<Record<string, Words>>;

export interface Completions {
  readonly words: readonly Completion[];
  /** Whether the shell should offer files as well. */
  readonly files: boolean;
}

interface Completion {
  readonly word: string;
  readonly help: string;
}

/** A flag as it is typed. */
interface TypedFlag extends Completion {
  readonly short?: string | undefined;
  /** Of the flag's value; a flag without is a switch. */
  readonly values?: Words | undefined;
}

const GENERAL: readonly TypedFlag[] = [
  { word: '--help', short: '-h', help: 'show this help' },
  { word: '--version', help: 'print the version' },
];

/**
 * @param root its subcommands are the commands of the program
 * @param words those after the program's name; the last, which may be empty, is the one to complete
 */
export function completionsFor(root: Command, words: readonly string[], common: CommonValues): Completions {
  const last = words.at(-1) ?? '';
  let command = root;
  let flags = typedFlags(root, common);
  let args: string[] = [];
  let valuesOfFlag: Words | undefined;
  for (const word of words.slice(0, -1)) {
    // Behind it stands another program's command line.
    if (word === '--') return { words: [], files: true };
    const below = command.subcommands?.find(({ name }) => name === word);
    if (valuesOfFlag) valuesOfFlag = undefined;
    else if (word.startsWith('-'))
      valuesOfFlag = flags.find((flag) => flag.word === word || flag.short === word)?.values;
    else if (below) [command, flags, args] = [below, typedFlags(below, common), []];
    else args.push(word);
  }
  if (valuesOfFlag) return fitting(valuesOfFlag, last);

  const [, flagName, value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  if (value !== undefined)
    return fitting(flags.find(({ word }) => word === flagName)?.values ?? [], value, `${flagName}=`);
  if (last.startsWith('-')) return { words: flags.filter(({ word }) => word.startsWith(last)), files: false };
  const below = (command.subcommands ?? []).map((each) => ({ word: each.name, help: each.summary }));
  const [name = ''] = [...(command.args ?? '').matchAll(/[\w-]+/g)][args.length] ?? [];
  const own = fitting(valuesOf(name, command, common, args), last);
  return { ...own, words: [...below.filter(({ word }) => word.startsWith(last)), ...own.words] };
}

function typedFlags(command: Command, common: CommonValues): readonly TypedFlag[] {
  const flags = command.flags.flatMap(
    ({ name, short, help, negative, value, setting }: Flag): TypedFlag[] => {
      const no = { word: `--no-${name}`, help };
      if (negative === 'only') return [no];
      const allowed = setting?.values ?? valuesOf(name, command, common);
      const values = value === undefined ? undefined : value === 'FILE' ? 'files' : allowed;
      const own = { word: `--${name}`, short: short && `-${short}`, help, values };
      return negative === 'also' ? [own, no] : [own];
    },
  );
  return [...flags, ...GENERAL];
}

function valuesOf(
  name: string,
  { values }: Command,
  common: CommonValues,
  before: readonly string[] = [],
): Words {
  const found = values?.[name] ?? common[name] ?? [];
  return typeof found === 'function' ? found(before) : found;
}

function fitting(values: Words, start: string, before = ''): Completions {
  if (values === 'files') return { words: [], files: true };
  const words = values.filter((value) => value.startsWith(start));
  return { words: words.map((value) => ({ word: before + value, help: '' })), files: false };
}
