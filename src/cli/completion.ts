/** Completes words: the completion scripts call this at each press of Tab. */
import { Help, type Option, type Command as Parser } from 'commander';
import { DEFAULT_PROFILE, isProfile } from '../client';
import { COMMANDS } from '../commands/grammar';
import { orUndefined } from '../errors';
import { configKeys, settingOf } from '../settings/table';
import type { World } from '../world';
import { createProgram } from './program';
import { TOPICS } from './topics';

/** Command that the scripts call: `gwtoken complete -- WORD…`. Not in the help: nobody types it. */
export const COMPLETE = 'complete';

/**
 * Candidates for a word, as `WORD` or `WORD<TAB>HELP`, or a placeholder: the scripts replace `:files` by the
 * names of files, and `:commands` by those of programs and files.
 */
type Candidates = readonly string[] | ':files' | ':commands';
type CompletionWorld = Pick<World, 'config' | 'clients'>;

/** The place after some words. */
interface Place {
  /** Parser of the command that the words name. */
  readonly parser: Parser;
  /** Flag whose value comes next. */
  readonly option: Option | undefined;
  /** Name of the argument that can come next. */
  readonly argument: string | undefined;
  /** Arguments before this place. */
  readonly args: readonly string[];
  /** True if a flag can come next, too. */
  readonly takesFlags: boolean;
}

/** Returns the candidates for the last word, each on a line. */
export function completions(argv: readonly string[], world: CompletionWorld): string {
  const parser = createProgram({ words: argv, version: '', onCommand() {}, onOutput() {} });
  const place = placeAfter(argv.slice(0, -1), parser);
  // PowerShell passes a space if the last word is empty.
  const last = (argv.at(-1) ?? '').trim();
  const inline = inlineOption(last, place);
  const option = place.option ?? inline;
  const candidates = option ? valuesOf(option, world) : candidatesAt(place, last);
  if (typeof candidates === 'string') return `${candidates}\n`;
  return candidates
    .map((each) => (inline ? `${inline.long}=${each}` : each))
    .filter((each) => each.startsWith(last))
    .map((each) => `${each}\n`)
    .join('');
}

function placeAfter(words: readonly string[], program: Parser): Place {
  let parser = program;
  let option: Option | undefined;
  let takesFlags = true;
  const args: string[] = [];
  for (const word of words) {
    if (option) {
      // This word is the value of the flag before it.
      option = undefined;
    } else if (takesFlags && word === '--') {
      takesFlags = false;
    } else if (takesFlags && word.startsWith('-')) {
      option = parser.options.find(({ long, short, required }) => required && [long, short].includes(word));
    } else {
      const subcommand = takesFlags && parser.commands.find((each) => each.name() === word);
      if (subcommand) parser = subcommand;
      else args.push(word);
    }
    // After the first one, all arguments belong to the program of exec or curl.
    takesFlags &&= nextArgument(parser, args) !== 'ARGS';
  }
  return { parser, option, argument: nextArgument(parser, args), args, takesFlags };
}

/** Returns the option of `--option=VALUE`. */
function inlineOption(word: string, { parser, option, takesFlags }: Place): Option | undefined {
  if (option || !takesFlags) return undefined;
  return parser.options.find(({ long, required }) => required && word.startsWith(`${long}=`));
}

/** Returns the flags, commands or arguments that fit in this place. */
function candidatesAt({ parser, takesFlags, argument, args }: Place, last: string): Candidates {
  if (takesFlags && last.startsWith('-'))
    return new Help().visibleOptions(parser).map(({ long, description }) => `${long}\t${description}`);
  if (parser.commands.length > 0) return parser.commands.map((each) => `${each.name()}\t${each.summary()}`);
  const [first = ''] = args;
  switch (argument) {
    case 'COMMAND':
      return ':commands';
    case 'ARGS':
      return ':files';
    case 'KEY':
      return configKeys();
    case 'VALUE':
      return settingOf(first)?.values ?? [];
    case 'COMMAND|TOPIC':
      return [...COMMANDS.map(({ name }) => name), ...Object.keys(TOPICS)];
    default:
      // The argument of `completion` lists its own words: `bash|zsh|fish|powershell`.
      return argument?.includes('|') ? argument.split('|') : [];
  }
}

/** Returns the name of the argument that comes next; the last one of some commands has several words. */
function nextArgument({ registeredArguments }: Parser, args: readonly string[]): string | undefined {
  const last = registeredArguments.at(-1);
  return (registeredArguments[args.length] ?? (last?.variadic ? last : undefined))?.name();
}

function valuesOf(option: Option, world: CompletionWorld): Candidates {
  if (option.flags.endsWith('<FILE>')) return ':files';
  return option.name() === 'profile' ? profileNames(world) : (option.argChoices ?? []);
}

/** Returns the profiles in the config file and those of stored clients; a broken file counts as empty. */
function profileNames({ config, clients }: CompletionWorld): readonly string[] {
  const inConfig = orUndefined(() => Object.keys(config.read().profiles)) ?? [];
  const stored = orUndefined(() => Object.keys(clients.read())) ?? [];
  const names = [DEFAULT_PROFILE, ...inConfig, ...stored.map((client) => client.split(':', 1)[0]!)];
  return [...new Set(names)].filter(isProfile).sort();
}
