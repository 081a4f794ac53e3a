/**
 * Cuts the command line. No other code reads it: commander and the quick path get gwtoken's own words, and
 * the words of another program, which exec and curl start, reach no parser of gwtoken.
 */
import { COMMON_FLAGS, type Flag, namesIn, takesValue } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';

/** A flag as it was given. */
export interface GivenFlag {
  /** `--region` for `--region=eu`, `-r` for `-reu`, and `-vr` for `-vr eu`. */
  readonly name: string;
  /** The value; undefined if there is none, or if the flag is unknown and stands after the command. */
  readonly value: string | undefined;
  /** The words of the line: one, or two if the value is a word of its own. */
  readonly words: readonly string[];
  readonly isKnown: boolean;
}

export interface Line {
  /** The command and, if it has any, the subcommand. Empty if no word names a command. */
  readonly path: readonly Command[];
  /** Flags before and after the command, in the order of the line. */
  readonly flags: readonly GivenFlag[];
  /** Arguments. If no word names a command, the first one was meant to. */
  readonly args: readonly string[];
  /** Words of another program: all after `--`, or from the first word that is not gwtoken's. */
  readonly program: readonly string[];
  /** True unless the line certainly names a command whose output no shell evaluates. */
  readonly mayBeEvaluated: boolean;
}

/** Cuts the words after `gwtoken`. Never throws: what is wrong with them is for others to say. */
export function splitLine(argv: readonly string[]): Line {
  const path: Command[] = [];
  const flags: GivenFlag[] = [];
  const args: string[] = [];
  let mayBeEvaluated = true;
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at]!;
    const command = path.at(-1);
    const commands = command ? (command.subcommands ?? []) : COMMANDS;
    const named = args.length === 0 && commands.find(({ name }) => name === word);
    if (word === '--') {
      at++;
      break;
    }
    if (/^-./s.test(word)) {
      const flag = readFlag(word, argv[at + 1], command);
      if (!flag.isKnown && command?.passThrough === 'flags') break;
      flags.push(flag);
      at += flag.words.length - 1;
    } else if (named) {
      if (path.length === 0) mayBeEvaluated = named.evaluated === true || flags.some((each) => !each.isKnown);
      path.push(named);
    } else if (command?.passThrough) break;
    else args.push(word);
  }
  const rest = argv.slice(at);
  const command = path.at(-1);
  const words =
    !command || command.passThrough ? { args, program: rest } : { args: [...args, ...rest], program: [] };
  return { path, flags, ...words, mayBeEvaluated };
}

/** Returns whether the command of the line starts another program. */
export function startsProgram({ path }: Pick<Line, 'path'>): boolean {
  return path.at(-1)?.passThrough !== undefined;
}

/** Returns the flag with this name that the command takes; before the command, any command's. */
export function flagNamed(name: string, command: Command | undefined): Flag | undefined {
  const flags = command && !command.subcommands ? command.flags : COMMANDS.flatMap((each) => each.flags);
  return [...flags, ...COMMON_FLAGS].find(({ spec }) => namesIn(spec).includes(name));
}

/** Reads `--name value`, `--name=value`, `-n value`, `-nvalue`, or switches, which may share a hyphen. */
function readFlag(word: string, next: string | undefined, command: Command | undefined): GivenFlag {
  const isLong = word.startsWith('--');
  const name = isLong ? word.replace(/=.*/s, '') : word.slice(0, 2);
  const rest = word.slice(name.length);
  const flag = flagNamed(name, command);
  if (flag && !takesValue(flag.spec) && !isLong && rest !== '' && command?.passThrough !== 'flags') {
    // The last letter of `-vr eu` takes the value. curl reads words such as `-vk` by itself.
    const last = readFlag(`-${rest}`, next, command);
    const names = last.isKnown ? name + last.name.slice(1) : last.name;
    return { ...last, name: names, words: [word, ...last.words.slice(1)] };
  }
  const inline = rest === '' ? undefined : rest.slice(isLong ? 1 : 0);
  const isKnown = flag !== undefined && (isLong || rest === '' || takesValue(flag.spec));
  // Before the command, the word after an unknown flag is its value, unless it is a command.
  const mayTakeNext = isKnown
    ? takesValue(flag.spec)
    : !command && !COMMANDS.some((each) => each.name === next);
  if (!mayTakeNext || inline !== undefined || next === undefined || next === '--')
    return { name, value: inline, words: [word], isKnown };
  return { name, value: next, words: [word, next], isKnown };
}
