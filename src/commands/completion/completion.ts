/** `gwtoken completion SHELL`, and what the script that it prints asks for at each press of Tab. */

import { checkProfile, DEFAULT_PROFILE } from '../../client';
import { attempt, usage } from '../../errors';
import { quoted } from '../../text';
import type { World } from '../../world';
import type { Command } from '../command';
import { VERBOSE } from '../flags';
import { completionsFor } from './suggest';

/** What the scripts call: `gwtoken complete -- WORD…`. Not in the help: nobody types it. */
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

/** Prints the words that can replace the last one. It never fails: a config file that is broken has no profiles. */
export function complete(
  words: readonly string[],
  commands: readonly Command[],
  topics: readonly string[],
  world: Pick<World, 'config' | 'clients' | 'stdout'>,
): void {
  const values = {
    profile: profileNames(world),
    // Of `gwtoken help`.
    name: [...commands.map(({ name }) => name), ...topics],
  };
  const root: Command = { name: 'gwtoken', summary: '', flags: [], subcommands: commands };
  // PowerShell passes a space if the last word is empty.
  const found = completionsFor(root, [...words.slice(0, -1), (words.at(-1) ?? '').trim()], values);
  const lines = found.words.map(({ word, help }) => `${word}\t${help}\n`);
  world.stdout.write([...lines, ...(found.more ? [`:${found.more}\n`] : [])].join(''));
}

/** Those with keys of their own, and those with a stored client. */
function profileNames({ config, clients }: Pick<World, 'config' | 'clients'>): readonly string[] {
  const names = [
    () => Object.keys(config.read().profiles),
    () => Object.keys(clients.read()).map((client) => client.split(':')[0] ?? ''),
  ].flatMap((read) => {
    try {
      return read();
    } catch {
      return [];
    }
  });
  const isProfile = (name: string): boolean => attempt(() => checkProfile(name, 'a file')) === name;
  return [...new Set([DEFAULT_PROFILE, ...names])].filter(isProfile).sort();
}
