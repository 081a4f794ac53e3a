/**
 * Cuts the command line. No other code reads it: the words of another program, which exec and curl start,
 * reach no parser of gwtoken.
 */
import { COMMON_FLAGS, type Flag, longName, namesIn, takesValue } from '../commands/flags';
import { COMMANDS, type Command } from '../commands/grammar';
import type { FlagValues } from '../settings/table';
import { similarWords } from '../text';

/** A flag as it was given. */
export interface GivenFlag {
  /** `--region` for `--region=eu`, and `-r` for `-reu` and `-vr eu`. */
  readonly name: string;
  /** The value in the same word or in the next one; undefined if there is none. */
  readonly value: string | undefined;
  /** The word of the line that it stands in: `-vr`. */
  readonly word: string;
  /** Undefined if the command does not take it. Without a command, any command's flag counts. */
  readonly flag: Flag | undefined;
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
  /** True if a `--` ends gwtoken's flags. */
  readonly hasEndOfFlags: boolean;
  /** True for `env`, for a word that resembles it, and if no word certainly names the command. */
  readonly mayBeEvaluated: boolean;
}

/** Cuts the words after `gwtoken`. Never throws: cli/parse.ts rejects what is wrong with them. */
export function splitLine(argv: readonly string[]): Line {
  const path: Command[] = [];
  const flags: Omit<GivenFlag, 'flag'>[] = [];
  const args: string[] = [];
  let isCommandSure = false;
  let hasEndOfFlags = false;
  let at = 0;
  for (; at < argv.length && !hasEndOfFlags; at++) {
    const word = argv[at]!;
    const command = path.at(-1);
    const commands = command ? (command.subcommands ?? []) : COMMANDS;
    const named = args.length === 0 && commands.find(({ name }) => name === word);
    if (word === '--') hasEndOfFlags = true;
    else if (/^-./s.test(word)) {
      const { switches, name, inline } = cutFlags(word, command);
      const flag = flagNamed(name, command);
      // curl reads words such as `-vk` by itself.
      if (command?.passThrough === 'flags' && (!flag || switches.length > 0)) break;
      for (const each of switches) flags.push({ name: each, value: undefined, word });
      const value = inline ?? (isValue(argv[at + 1], flag, commands) ? argv[++at] : undefined);
      flags.push({ name, value, word });
    } else if (command?.passThrough) break;
    else {
      if (path.length + args.length === 0)
        isCommandSure = flags.every((each) => flagNamed(each.name, undefined));
      if (named) path.push(named);
      else args.push(word);
    }
  }
  const rest = argv.slice(at);
  const command = path.at(-1);
  const hasProgram = !command || command.passThrough || command.subcommands;
  return {
    path,
    flags: flags.map((each) => ({ ...each, flag: flagNamed(each.name, command) })),
    args: hasProgram ? args : [...args, ...rest],
    program: hasProgram ? rest : [],
    hasEndOfFlags,
    mayBeEvaluated: !isCommandSure || (path[0] ? path[0].evaluated === true : args.some(resemblesEnv)),
  };
}

function resemblesEnv(word: string): boolean {
  // A dash in place of a hyphen begins an option, behind which `env` may follow.
  return /env|export|^[\u2010-\u2015\u2212]/i.test(word) || similarWords(word, ['env'], 1).length > 0;
}

/** Returns whether the command of the line starts another program. */
export function startsProgram({ path }: Pick<Line, 'path'>): boolean {
  return path.at(-1)?.passThrough !== undefined;
}

/** Returns the flag with this name that the command takes; before the command, any command's. */
export function flagNamed(name: string, command: Command | undefined): Flag | undefined {
  return flagsOf(command).find(({ spec }) => namesIn(spec).includes(name));
}

/** Returns the flags that the command takes; before the command, those of all commands. */
export function flagsOf(command: Command | undefined): readonly Flag[] {
  const flags = command && !command.subcommands ? command.flags : COMMANDS.flatMap((each) => each.flags);
  return [...flags, ...COMMON_FLAGS];
}

/** Returns whether a flag has a value if it needs one, and otherwise none. */
export function isComplete({ flag, value }: GivenFlag): boolean {
  return flag !== undefined && takesValue(flag.spec) === (value !== undefined);
}

/** Returns the values of the complete flags. Of a repeated flag, the last one counts. */
export function flagValues(flags: readonly GivenFlag[]): FlagValues {
  return Object.fromEntries(
    flags.filter(isComplete).map(({ flag, value }) => {
      const [, negation, name] = /^--(no-)?(.*)/.exec(longName(flag!))!;
      return [name, value ?? !negation];
    }),
  );
}

/**
 * Cuts a word into the names of its flags and the value of the last one: `--name=value`, or letters up to the
 * first that is no switch, as in `-vreu`.
 */
function cutFlags(word: string, command: Command | undefined) {
  if (word.startsWith('--')) {
    const [, name, inline] = /^([^=]*)(?:=(.*))?$/s.exec(word)!;
    return { switches: [], name: name!, inline };
  }
  const [, ...letters] = word;
  const isSwitch = (letter: string): boolean =>
    flagsOf(command).some(({ spec }) => namesIn(spec).includes(`-${letter}`) && !takesValue(spec));
  const end = letters.findIndex((letter, at) => at === letters.length - 1 || !isSwitch(letter));
  const switches = letters.slice(0, end).map((letter) => `-${letter}`);
  return { switches, name: `-${letters[end]}`, inline: letters.slice(end + 1).join('') || undefined };
}

/** Returns whether a word is the value of the flag before it. An unknown flag takes no flag or command. */
function isValue(word: string | undefined, flag: Flag | undefined, commands: readonly Command[]): boolean {
  if (word === undefined || word === '--') return false;
  if (flag) return takesValue(flag.spec);
  return !word.startsWith('-') && !commands.some(({ name }) => name === word);
}
