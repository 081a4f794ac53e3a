/** Completes words: the completion scripts call this at each press of Tab. */
import { isProfile } from '../client';
import { COMMON_FLAGS, type Flag, longName, takesValue } from '../commands/flags';
import { COMMANDS } from '../commands/grammar';
import { orUndefined } from '../errors';
import { knownProfiles } from '../settings/resolve';
import { configKeys, settingOf } from '../settings/table';
import type { World } from '../world';
import { flagNamed, type Line, splitLine } from './line';
import { TOPICS } from './topics';

/** Command that the scripts call: `gwtoken complete -- WORD…`. Not in the help: nobody types it. */
export const COMPLETE = 'complete';

/**
 * Candidates for a word, as `WORD` or `WORD<TAB>HELP`, or a placeholder: the scripts replace `:files` by the
 * names of files, and `:commands` by those of programs and files.
 */
type Candidates = readonly string[] | ':files' | ':commands';
type CompletionWorld = Pick<World, 'config' | 'clients'>;

/** Returns the candidates for the last word, each on a line. */
export function completions(words: readonly string[], world: CompletionWorld): string {
  const before = words.slice(0, -1);
  // PowerShell passes a space if the last word is empty.
  const last = (words.at(-1) ?? '').trim();
  const line = splitLine(before);
  const takesFlags = line.program.length === 0 && !before.includes('--');
  const given = line.flags.at(-1);
  const awaiting = takesFlags && given?.value === undefined ? given?.flag : undefined;
  const name = /^(--[^=]+)=/.exec(last)?.[1];
  const inline = takesFlags && name !== undefined ? flagNamed(name, line.path.at(-1)) : undefined;
  const flag = [awaiting, inline].find((each) => each && takesValue(each.spec));
  const candidates = flag ? valuesOf(flag, world) : candidatesAt(line, takesFlags && last.startsWith('-'));
  if (typeof candidates === 'string') return `${candidates}\n`;
  return candidates
    .map((each) => (flag && flag === inline ? `${name}=${each}` : each))
    .filter((each) => each.startsWith(last))
    .map((each) => `${each}\n`)
    .join('');
}

/** Returns the flags, commands or arguments that can stand after the line. */
function candidatesAt(line: Line, isFlag: boolean): Candidates {
  const { path, args, program } = line;
  const command = path.at(-1);
  const commands = command ? command.subcommands : COMMANDS;
  if (isFlag) {
    const flags = commands ? COMMON_FLAGS : [...command!.flags, ...COMMON_FLAGS];
    return flags.map((flag) => `${longName(flag)}\t${flag.help}`);
  }
  if (commands) return commands.map(({ name, summary }) => `${name}\t${summary}`);
  if (program.length > 0) return ':files';
  if (command?.passThrough) return command.passThrough === 'arguments' ? ':commands' : [];
  const argument = command?.args?.split(' ')[args.length]?.slice(1, -1) ?? '';
  switch (argument) {
    case 'KEY':
      return configKeys();
    case 'VALUE':
      return settingOf(args[0] ?? '')?.values ?? [];
    case 'COMMAND|TOPIC':
      return [...COMMANDS.map(({ name }) => name), ...Object.keys(TOPICS)];
    default:
      // The argument of `completion` lists its own words: `bash|zsh|fish|powershell`.
      return argument.includes('|') ? argument.split('|') : [];
  }
}

function valuesOf({ spec, values }: Flag, world: CompletionWorld): Candidates {
  if (spec.endsWith('<FILE>')) return ':files';
  return spec.endsWith('--profile <NAME>') ? profileNames(world) : (values ?? []);
}

function profileNames({ config, clients }: CompletionWorld): readonly string[] {
  const { profiles } = orUndefined(() => config.read()) ?? { profiles: {} };
  return knownProfiles(profiles, () => clients.read())
    .filter(isProfile)
    .sort();
}
