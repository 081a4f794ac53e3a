/** The command `gwtoken completion SHELL`, and the answers that its script needs at each press of Tab. */

import { DEFAULT_PROFILE, isProfile } from '../../client';
import { attempt, GwtokenError, usage } from '../../errors';
import { quoted } from '../../text';
import type { World } from '../../world';
import type { Command, Words } from '../command';
import { helpOf, isSpelling, spellings, VERBOSE } from '../flags';

/** Command that the scripts call: `gwtoken complete -- WORD…`. Not in the help: nobody types it. */
export const COMPLETE = 'complete';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

export const completionCommand: Command = {
  name: 'completion',
  args: '<shell>',
  summary: 'print a shell completion script',
  flags: [VERBOSE],
  group: 'setup',
  values: { shell: SHELLS },
  examples: [
    { line: 'eval "$(gwtoken completion bash)"', does: 'in ~/.bashrc' },
    { line: 'eval "$(gwtoken completion zsh)"', does: 'in ~/.zshrc, after compinit' },
    { line: 'gwtoken completion fish | source', does: 'in ~/.config/fish/config.fish' },
    {
      line: 'gwtoken completion powershell | Out-String | Invoke-Expression',
      does: 'in $PROFILE',
    },
  ],
  async run(_, world, shell = '') {
    const { SCRIPTS } = await import('./scripts');
    const name = shell === 'pwsh' ? 'powershell' : shell;
    const script = SHELLS.includes(name) ? SCRIPTS[name] : undefined;
    if (script === undefined) {
      throw usage(`no completion for shell ${quoted(shell)}`, `use one of: ${SHELLS.join(', ')}`);
    }
    world.stdout.write(script);
  },
};

/** Words for a value, by its name, if the command itself has none. */
type CommonValues = Readonly<Record<string, Words>>;

/** Prints the words that can replace the last one. Never fails: a broken config file has no profiles. */
export function complete(
  words: readonly string[],
  commands: readonly Command[],
  help: { readonly name: readonly string[]; readonly section: readonly string[] },
  world: Pick<World, 'config' | 'clients' | 'stdout'>,
): void {
  const values = {
    profile: profileNames(world),
    // The arguments of `gwtoken help`.
    name: [...commands.map(({ name }) => name), ...help.name],
    section: help.section,
  };
  const root: Command = { name: 'gwtoken', summary: '', flags: [], subcommands: commands };
  // PowerShell passes a space if the last word is empty.
  const lines = completions(root, words.slice(0, -1), (words.at(-1) ?? '').trim(), values);
  world.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Returns the profiles with keys of their own, and those with a stored client. */
function profileNames({ config, clients }: Pick<World, 'config' | 'clients'>): readonly string[] {
  const names = [
    attempt(() => Object.keys(config.read().profiles)),
    attempt(() => Object.keys(clients.read()).map((client) => client.split(':')[0] ?? '')),
  ].flatMap((found) => (found instanceof GwtokenError ? [] : found));
  return [...new Set([DEFAULT_PROFILE, ...names])].filter(isProfile).sort();
}

const GENERAL = ['--help\tshow this help', '--version\tprint the version'];

/**
 * Returns the lines that the scripts read: `WORD<TAB>HELP`, `:files` or `:commands`.
 *
 * @param root its subcommands are the commands of the program
 * @param last the word to complete, which may be empty
 */
function completions(
  root: Command,
  preceding: readonly string[],
  last: string,
  common: CommonValues,
): readonly string[] {
  let command = root;
  let args: string[] = [];
  let pending: Words | undefined;
  for (const [index, word] of preceding.entries()) {
    // After it comes another program's command line.
    if (word === '--') {
      const isFirst = index === preceding.length - 1;
      return [isFirst && command.values?.['command'] === 'commands' ? ':commands' : ':files'];
    }
    const below = command.subcommands?.find(({ name }) => name === word);
    // The word is the value of the flag before it.
    if (pending) pending = undefined;
    else if (word.startsWith('-')) pending = flagValues(word, command, common);
    else if (below) [command, args] = [below, []];
    // From here on the words are another program's.
    else if (command.passThrough) return [':files'];
    else args.push(word);
  }
  if (pending) return fitting(pending, last);

  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  if (flag !== undefined && value !== undefined)
    return fitting(flagValues(flag, command, common) ?? [], value, `${flag}=`);
  const starts = (line: string): boolean => line.startsWith(last);
  if (last.startsWith('-')) {
    const flags = command.flags.flatMap((each) =>
      spellings(each).map((word) => `${word}\t${helpOf(each, word)}`),
    );
    return [...flags, ...GENERAL].filter(starts);
  }
  const below = (command.subcommands ?? []).map(({ name, summary }) => `${name}\t${summary}`);
  const [name = ''] = [...(command.args ?? '').matchAll(/[\w-]+/g)][args.length] ?? [];
  return [...below.filter(starts), ...fitting(valuesOf(name, command, common, args), last)];
}

/** Returns the words that can follow a flag; undefined for a switch. */
function flagValues(word: string, command: Command, common: CommonValues): Words | undefined {
  const flag = command.flags.find((each) => isSpelling(word, each));
  if (flag?.value === undefined) return undefined;
  return flag.value === 'FILE' ? 'files' : (flag.setting?.values ?? valuesOf(flag.name, command, common, []));
}

function valuesOf(name: string, { values }: Command, common: CommonValues, args: readonly string[]): Words {
  const found = values?.[name] ?? common[name] ?? [];
  return typeof found === 'function' ? found(args) : found;
}

function fitting(values: Words, start: string, prefix = ''): readonly string[] {
  if (values === 'files' || values === 'commands') return [`:${values}`];
  return values.filter((value) => value.startsWith(start)).map((value) => `${prefix}${value}\t`);
}
