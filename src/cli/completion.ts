/** Completes words: the scripts in commands/completion-scripts.ts call this at each press of Tab. */
import { DEFAULT_PROFILE, isProfile, parseClientName } from '../client';
import { COMMON_FLAGS, type Flag, flagNamed, longName, takesValue } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import { orUndefined } from '../errors';
import { configKeys, rowOf } from '../settings/table';
import type { World } from '../world';
import { ALL_FLAGS, readLine } from './command-line';
import { TOPICS } from './topics';

/**
 * Candidates for a word, as `WORD` or `WORD<TAB>HELP`, or a placeholder: the scripts replace `:files` by the
 * names of files, and `:commands` by those of programs and files.
 */
type Candidates = readonly string[] | ':files' | ':commands';
type CompletionWorld = Pick<World, 'config' | 'clients'>;

/** Returns the candidates for the last word, each on a line. */
export function completions(words: readonly string[], world: CompletionWorld): string {
  // PowerShell passes a space if the last word is empty.
  const last = (words.at(-1) ?? '').trim();
  const candidates = candidatesAfter(words.slice(0, -1), last.startsWith('-'), world);
  if (typeof candidates === 'string') return `${candidates}\n`;
  return candidates
    .filter((each) => each.startsWith(last))
    .map((each) => `${each}\n`)
    .join('');
}

/** Returns what can follow these words: values of the flag at their end, flags, commands or arguments. */
function candidatesAfter(before: readonly string[], isFlag: boolean, world: CompletionWorld): Candidates {
  const { path, args } = readLine(before);
  const command = path.at(-1);
  if (command?.passThrough && args.length > 0) return ':files';
  const commands = command ? command.subcommands : COMMANDS;
  const flags = commands ? ALL_FLAGS : command!.flags;
  const flag = flagNamed(before.at(-1) ?? '', flags);
  if (flag && takesValue(flag.spec)) return valuesOfFlag(flag, world);
  if (isFlag && !before.includes('--'))
    return [...(command?.flags ?? []), ...COMMON_FLAGS].map((each) => `${longName(each)}\t${each.help}`);
  if (commands) return commands.map(({ name, summary }) => `${name}\t${summary}`);
  return valuesOfArgument(command!, args);
}

function valuesOfArgument({ args: names = '' }: Command, given: readonly string[]): Candidates {
  switch (names.split(' ')[given.length]?.slice(1, -1)) {
    case 'COMMAND':
      return ':commands';
    case 'KEY':
      return configKeys();
    case 'VALUE':
      return rowOf(given[0] ?? '')?.values ?? [];
    case 'COMMAND|TOPIC':
      return [...COMMANDS.map(({ name }) => name), ...Object.keys(TOPICS)];
    default:
      return [];
  }
}

function valuesOfFlag(flag: Flag, world: CompletionWorld): Candidates {
  if (flag.spec.endsWith('<FILE>')) return ':files';
  return longName(flag) === '--profile' ? profileNames(world) : (flag.values ?? []);
}

function profileNames({ config, clients }: CompletionWorld): readonly string[] {
  const { profiles } = orUndefined(() => config.read()) ?? { profiles: {} };
  const stored = Object.keys(orUndefined(() => clients.read()) ?? {});
  const ofStored = stored.flatMap((name) => parseClientName(name)?.profile ?? []);
  const ofConfig = Object.keys(profiles).filter(isProfile);
  return [...new Set([DEFAULT_PROFILE, ...ofConfig, ...ofStored])].sort();
}
