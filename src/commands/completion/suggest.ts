/** What can stand where the last word of a command line is. */
import type { Suggested } from '../command';

/** What there is to complete, as data: made from the table of verbs. */
export interface CompletionCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletionFlag[];
  /** Of each argument in turn. */
  readonly args: readonly Suggested[];
  readonly commands: readonly CompletionCommand[];
}

export interface CompletionFlag {
  /** With its dashes. */
  readonly name: string;
  readonly short?: string | undefined;
  readonly help: string;
  /** Of the flag's value; a flag without is a switch. */
  readonly values?: Suggested | undefined;
}

export interface Completions {
  readonly words: readonly { readonly word: string; readonly help: string }[];
  /** Whether the shell should offer files as well. */
  readonly files: boolean;
}

/**
 * @param root its commands are those of the program
 * @param words those after the program's name; the last, which may be empty, is the one to complete
 */
export function completionsFor(root: CompletionCommand, words: readonly string[]): Completions {
  const last = words.at(-1) ?? '';
  let command = root;
  let taken = 0;
  let pending: CompletionFlag | undefined;
  for (const word of words.slice(0, -1)) {
    // Behind it stands another program's command line.
    if (word === '--') return { words: [], files: true };
    const below = command.commands.find(({ name }) => name === word);
    if (pending) pending = undefined;
    else if (word.startsWith('-')) pending = flagNamed(command, word);
    else if (below) [command, taken] = [below, 0];
    else taken++;
    if (pending && pending.values === undefined) pending = undefined;
  }
  if (pending?.values !== undefined) return fitting(pending.values, last);

  const [, name = '', value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  const values = value === undefined ? undefined : flagNamed(command, name)?.values;
  if (value !== undefined) return fitting(values ?? [], value, `${name}=`);
  if (last.startsWith('-')) {
    const named = command.flags.map((flag) => ({ word: flag.name, help: flag.help }));
    return { words: named.filter(({ word }) => word.startsWith(last)), files: false };
  }
  const below = command.commands.map((each) => ({ word: each.name, help: each.summary }));
  const own = fitting(command.args[taken] ?? [], last);
  return { ...own, words: [...below.filter(({ word }) => word.startsWith(last)), ...own.words] };
}

function flagNamed({ flags }: CompletionCommand, word: string): CompletionFlag | undefined {
  return flags.find(({ name, short }) => name === word || short === word);
}

function fitting(values: Suggested, start: string, before = ''): Completions {
  if (values === 'files') return { words: [], files: true };
  const words = values.filter((value) => value.startsWith(start));
  return { words: words.map((value) => ({ word: before + value, help: '' })), files: false };
}
