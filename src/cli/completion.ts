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

/** Placeholder that the scripts replace by the names of files. */
const FILES: Lines = [':files'];
/** Placeholder that the scripts replace by the names of programs and files. */
const PROGRAMS: Lines = [':commands'];

type Lines = readonly string[];
type CompletionWorld = Pick<World, 'config' | 'clients'>;
type Place = ReturnType<typeof placeAfter>;

/**
 * Returns the words that can replace the last one, as the scripts read them: `WORD` or `WORD<TAB>HELP`,
 * `:files` or `:commands`.
 */
export function completions(argv: readonly string[], world: CompletionWorld): string {
  const parser = createProgram({ words: argv, version: '', onCommand() {}, onOutput() {} });
  const place = placeAfter(argv.slice(0, -1), parser);
  // PowerShell passes a space if the last word is empty.
  const last = (argv.at(-1) ?? '').trim();
  const flag = flagOf(last, place);
  const option = place.option ?? flag;
  const lines = option ? valuesOf(option, world) : linesAt(place, last);
  if (lines === FILES || lines === PROGRAMS) return `${lines[0]}\n`;
  return lines
    .map((line) => (flag ? `${flag.long}=${line}` : line))
    .filter((line) => line.startsWith(last))
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns what can follow these words: the value of a flag, or an argument and perhaps a flag. */
function placeAfter(words: readonly string[], program: Parser) {
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

/** Returns the flag of `--flag=VALUE`. */
function flagOf(word: string, { parser, option, takesFlags }: Place): Option | undefined {
  if (option || !takesFlags) return undefined;
  return parser.options.find(({ long, required }) => required && word.startsWith(`${long}=`));
}

/** Returns the flags, commands or words that fit in this place. */
function linesAt({ parser, takesFlags, argument, args }: Place, last: string): Lines {
  if (takesFlags && last.startsWith('-'))
    return new Help().visibleOptions(parser).map(({ long, description }) => `${long}\t${description}`);
  if (parser.commands.length > 0) return parser.commands.map((each) => `${each.name()}\t${each.summary()}`);
  const [first = ''] = args;
  switch (argument) {
    case 'COMMAND':
      return PROGRAMS;
    case 'ARGS':
      return FILES;
    case 'KEY':
      return configKeys();
    case 'VALUE':
      return settingOf(first)?.values ?? [];
    case 'COMMAND|TOPIC':
      return [...COMMANDS.map(({ name }) => name), ...Object.keys(TOPICS)];
    default:
      return argument?.includes('|') ? argument.split('|') : [];
  }
}

/** Returns the name of the argument that comes next; the last one of some commands has several words. */
function nextArgument({ registeredArguments }: Parser, args: readonly string[]): string | undefined {
  const last = registeredArguments.at(-1);
  return (registeredArguments[args.length] ?? (last?.variadic ? last : undefined))?.name();
}

function valuesOf(option: Option, world: CompletionWorld): Lines {
  if (option.flags.endsWith('<FILE>')) return FILES;
  return option.name() === 'profile' ? profileNames(world) : (option.argChoices ?? []);
}

/** Returns the profiles in the config file and those of stored clients; a broken file counts as empty. */
function profileNames({ config, clients }: CompletionWorld): Lines {
  const inConfig = orUndefined(() => Object.keys(config.read().profiles)) ?? [];
  const stored = orUndefined(() => Object.keys(clients.read())) ?? [];
  const names = [DEFAULT_PROFILE, ...inConfig, ...stored.map((client) => client.split(':', 1)[0]!)];
  return [...new Set(names)].filter(isProfile).sort();
}
