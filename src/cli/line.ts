/** Flags as a command line gives them, and a reader of plain lines for the quick path. */
import { type Flag, longName, namesIn, takesValue } from '../commands/flags';
import type { FlagValues } from '../settings/table';

export interface GivenFlag {
  readonly flag: Flag;
  /** Undefined for a flag that takes none. */
  readonly value: string | undefined;
}

/** Returns the values of flags. Of a repeated flag, the last one counts. */
export function flagValues(given: readonly GivenFlag[]): FlagValues {
  return Object.fromEntries(
    given.map(({ flag, value }) => {
      const [, negation, name] = /^--(no-)?(.*)/.exec(longName(flag))!;
      return [name, value ?? !negation];
    }),
  );
}

interface Row {
  readonly name: string;
  readonly flags: readonly Flag[];
}

/**
 * Reads a line of a command and complete flags that it takes, such as `get -r eu --format=json`. Returns
 * undefined for any other line: commander reads it (command-line.ts).
 */
export function readPlainLine<R extends Row>(
  argv: readonly string[],
  commands: readonly R[],
): { readonly command: R; readonly flags: FlagValues } | undefined {
  let command: R | undefined;
  const given: GivenFlag[] = [];
  const words = argv.values();
  for (const word of words) {
    const named = command ? undefined : commands.find(({ name }) => name === word);
    if (named) {
      command = named;
      continue;
    }
    const [, name = '', inline] = LONG.exec(word) ?? SHORT.exec(word) ?? [];
    // Before the command, flags of all commands are read as well.
    const flags = (command ? [command] : commands).flatMap((each) => each.flags);
    const flag = flags.find(({ spec }) => namesIn(spec).includes(name));
    if (!flag) return undefined;
    const value = inline ?? (takesValue(flag.spec) ? words.next().value : undefined);
    if (takesValue(flag.spec) !== (value !== undefined && value !== '--')) return undefined;
    given.push({ flag, value });
  }
  const taken = command?.flags.map(longName) ?? [];
  return command && given.every(({ flag }) => taken.includes(longName(flag)))
    ? { command, flags: flagValues(given) }
    : undefined;
}

/** `--name` or `--name=value`. */
const LONG = /^(--[^=]+)(?:=(.*))?$/s;
/** `-r` or `-reu`. */
const SHORT = /^(-[^-])(.+)?$/s;
