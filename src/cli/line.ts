/**
 * Cuts a command line for the quick path, which leaves whatever is unusual to commander, and for completion,
 * which has to bear with an unfinished line. commander reads all other lines (command-line.ts).
 */
import { COMMON_FLAGS, type Flag, longName, namesIn, takesValue } from '../commands/flags';
import type { Command } from '../commands/grammar';
import type { FlagValues } from '../settings/table';

type Row = Pick<Command, 'name' | 'flags' | 'subcommands' | 'passThrough'>;

export interface GivenFlag {
  /** Undefined if the command does not take it. Without a command, any command's flag counts. */
  readonly flag: Flag | undefined;
  /** The value in the same word or in the next one; undefined if there is none. */
  readonly value: string | undefined;
}

interface CutLine<R extends Row> {
  /** The command and, if it has any, the subcommand. Empty if no word names a command. */
  readonly path: readonly R[];
  /** Flags before and after the command, in the order of the line. */
  readonly flags: readonly GivenFlag[];
  /** Arguments, or the words of another program. If no word names a command, the first one was meant to. */
  readonly args: readonly string[];
  /** True if no more flags of gwtoken's can follow: after `--`, or in the words of another program. */
  readonly isPastFlags: boolean;
}

/** Cuts the words after `gwtoken`. Never throws. */
export function cutLine<R extends Row & { readonly subcommands?: readonly R[] }>(
  argv: readonly string[],
  commands: readonly R[],
): CutLine<R> {
  const path: R[] = [];
  const flags: { readonly name: string; readonly value: string | undefined }[] = [];
  const args: string[] = [];
  let isPastFlags = false;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    const command = path.at(-1);
    const takes = flagsOf(command, commands);
    const named =
      args.length === 0 &&
      (command ? (command.subcommands ?? []) : commands).find(({ name }) => name === word);
    if (isPastFlags) args.push(word);
    else if (word === '--') isPastFlags = true;
    else if (named) path.push(named);
    else if (!/^-./s.test(word)) {
      args.push(word);
      isPastFlags = command?.passThrough !== undefined;
    } else {
      const [name, inline] = nameAndValue(word);
      const flag = flagNamed(name, takes);
      isPastFlags = !flag && command?.passThrough === 'flags';
      if (isPastFlags) args.push(word);
      else flags.push({ name, value: inline ?? (flag && takesValue(flag.spec) ? argv[++at] : undefined) });
    }
  }
  const takes = flagsOf(path.at(-1), commands);
  return {
    path,
    flags: flags.map(({ name, value }) => ({ flag: flagNamed(name, takes), value })),
    args,
    isPastFlags,
  };
}

function flagNamed(name: string, flags: readonly Flag[]): Flag | undefined {
  return flags.find(({ spec }) => namesIn(spec).includes(name));
}

/** Returns the flags that the command takes; before the command, those of all commands. */
function flagsOf(command: Row | undefined, commands: readonly Row[]): readonly Flag[] {
  const flags = command && !command.subcommands ? command.flags : commands.flatMap((each) => each.flags);
  return [...flags, ...COMMON_FLAGS];
}

/** Returns whether a flag has a value if it needs one, and otherwise none. */
export function isComplete({ flag, value }: GivenFlag): boolean {
  return flag !== undefined && takesValue(flag.spec) === (value !== undefined && value !== '--');
}

/** Returns the values of complete flags. Of a repeated flag, the last one counts. */
export function flagValues(flags: readonly GivenFlag[]): FlagValues {
  return Object.fromEntries(
    flags.map(({ flag, value }) => {
      const [, negation, name] = /^--(no-)?(.*)/.exec(longName(flag!))!;
      return [name, value ?? !negation];
    }),
  );
}

/** Returns `--name` and `value` for `--name=value`, and `-r` and `eu` for `-reu`. */
function nameAndValue(word: string): readonly [name: string, value: string | undefined] {
  const parts = word.startsWith('--') ? /^([^=]*)(?:=(.*))?$/s : /^(-.)(.+)?$/su;
  const [, name = '', value] = parts.exec(word) ?? [];
  return [name, value];
}
