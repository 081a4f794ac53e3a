/** Flags as a command line gives them, and a reader of plain lines for the quick path. */
import { type Flag, flagNamed, longName, takesValue } from '../commands/flags';
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

/** `--name` or `--name=value`. */
const LONG = /^(--[^=]+)(?:=(.*))?$/s;
/** `-r` or `-reu`. */
const SHORT = /^(-[^-])(.+)?$/s;

/**
 * Returns the flags of a line that has one command and complete flags of it (`get -r eu --format=json`);
 * undefined for any other line, which commander reads (command-line.ts).
 */
export function flagsOfPlainLine(
  argv: readonly string[],
  command: string,
  flags: readonly Flag[],
): FlagValues | undefined {
  const given: GivenFlag[] = [];
  let isNamed = false;
  const words = argv.values();
  for (const word of words) {
    if (word === command && !isNamed) {
      isNamed = true;
      continue;
    }
    const [, name = '', inline] = LONG.exec(word) ?? SHORT.exec(word) ?? [];
    const flag = flagNamed(name, flags);
    if (!flag) return undefined;
    const value = inline ?? (takesValue(flag.spec) ? words.next().value : undefined);
    if (takesValue(flag.spec) !== (value !== undefined) || value === '--') return undefined;
    given.push({ flag, value });
  }
  return isNamed ? flagValues(given) : undefined;
}
