/** Finds the words that can replace the last one of a command line. */

import type { Command, Words } from '../command';
import { helpOf, spellings } from '../flags';

/** What an argument or a flag's value can be, by its name, if the command itself does not say. */
export type CommonValues = Readonly<Record<string, Words>>;

export interface Completions {
  readonly words: readonly Completion[];
  /** What the shell should offer as well. */
  readonly more?: 'files' | 'commands';
}

interface Completion {
  readonly word: string;
  readonly help: string;
}

const GENERAL: readonly Completion[] = [
  { word: '--help', help: 'show this help' },
  { word: '--version', help: 'print the version' },
];

/**
 * @param root its subcommands are the commands of the program
 * @param words those after the program's name; the last, which may be empty, is the one to complete
 */
export function completionsFor(root: Command, words: readonly string[], common: CommonValues): Completions {
  const last = words.at(-1) ?? '';
  let command = root;
  let args: string[] = [];
  let pending: Words | undefined;
  for (const [index, word] of words.slice(0, -1).entries()) {
    // Behind it stands another program's command line.
    if (word === '--') {
      const isFirst = index === words.length - 2;
      return {
        words: [],
        more: isFirst && command.values?.['command'] === 'commands' ? 'commands' : 'files',
      };
    }
    const below = command.subcommands?.find(({ name }) => name === word);
    if (pending) pending = undefined;
    else if (word.startsWith('-')) pending = flagValues(word, command, common);
    else if (below) [command, args] = [below, []];
    // The same behind the command that it runs.
    else if (command.passThrough) return { words: [], more: 'files' };
    else args.push(word);
  }
  if (pending) return fitting(pending, last);

  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  if (flag !== undefined && value !== undefined)
    return fitting(flagValues(flag, command, common) ?? [], value, `${flag}=`);
  const starts = ({ word }: Completion): boolean => word.startsWith(last);
  if (last.startsWith('-')) {
    const flags = command.flags.flatMap((each) =>
      spellings(each).map((word) => ({ word, help: helpOf(each, word) })),
    );
    return { words: [...flags, ...GENERAL].filter(starts) };
  }
  const below = (command.subcommands ?? []).map((each) => ({ word: each.name, help: each.summary }));
  const [name = ''] = [...(command.args ?? '').matchAll(/[\w-]+/g)][args.length] ?? [];
  const own = fitting(valuesOf(name, command, common, args), last);
  return { ...own, words: [...below.filter(starts), ...own.words] };
}

/** What can stand behind a flag; undefined behind a switch. */
function flagValues(word: string, command: Command, common: CommonValues): Words | undefined {
  const flag = command.flags.find((each) => spellings(each).includes(word) || word === `-${each.short}`);
  if (flag?.value === undefined) return undefined;
  return flag.value === 'FILE' ? 'files' : (flag.setting?.values ?? valuesOf(flag.name, command, common));
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
  if (values === 'files' || values === 'commands') return { words: [], more: values };
  const words = values.filter((value) => value.startsWith(start));
  return { words: words.map((value) => ({ word: before + value, help: '' })) };
}
