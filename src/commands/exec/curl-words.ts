/** Finds in curl's words its targets, and flags that were meant for gwtoken. */
import { isRegion } from '../../client';
import { CLIENT_FLAGS, FETCH_FLAGS, FRESH, longName } from '../flags';

interface CurlWords {
  /** Indices of the words that are neither options nor their values, and of `--url`'s values. */
  readonly targets: readonly number[];
  /** True if another URL may be in the file of `-K`, or in an option that curl's help does not list. */
  readonly mayHideUrl: boolean;
  /** Names of gwtoken's flags among the words, which curl rejects or misreads. */
  readonly misplaced: readonly string[];
}

/** Reads the words by curl's help, `curl --help all`. */
export function readCurlWords(words: readonly string[], help: string): CurlWords {
  const options = optionsIn(help);
  const targets: number[] = [];
  const misplaced: string[] = [];
  let mayHideUrl = false;
  let isPastOptions = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (isPastOptions || !isOption(word)) {
      targets.push(at);
      continue;
    }
    isPastOptions = word === '--';
    const option = optionWithValue(word, options);
    if (option === undefined) continue;
    const { name, inline } = option;
    // The value is a part of this word, or the next word.
    const valueAt = inline === undefined ? at + 1 : at;
    const flag = gwtokensFlag(name, inline ?? words[valueAt], options);
    if (flag !== undefined) misplaced.push(flag);
    if (!options.has(name) || name === '-K' || name === '--config') mayHideUrl = true;
    if (name === '--url' && valueAt < words.length) targets.push(valueAt);
    at = valueAt;
  }
  return { targets, mayHideUrl, misplaced };
}

export function isOption(word: string): boolean {
  return /^-./s.test(word);
}

/** Options by name: true if the option takes a value. */
type Options = ReadonlyMap<string, boolean>;

/** Returns the options in the rows of curl's help: ` -s, --silent  Silent mode`, ` -o, --output <file> …`. */
function optionsIn(help: string): Options {
  const options = new Map([['--', false]]);
  for (const [, short = '', long = '', value] of help.matchAll(/^ +(?:(-.), )?(--\S+)( [<[])?/gm))
    for (const name of [short, long]) options.set(name, value !== undefined);
  return options;
}

/**
 * Returns the first option in a word that is not a switch, with its value if that is in the same word: `-o`
 * for `-sSo`, and `-o` with `FILE` for `-sSoFILE`. Undefined if all are switches.
 */
function optionWithValue(word: string, options: Options): { name: string; inline?: string } | undefined {
  const names = word.startsWith('--') ? [word] : Array.from(word.slice(1), (letter) => `-${letter}`);
  const place = names.findIndex((name) => !isSwitch(name, options));
  const name = names[place];
  if (name === undefined) return undefined;
  return place === names.length - 1 ? { name } : { name, inline: word.slice(place + 2) };
}

function isSwitch(name: string, options: Options): boolean {
  return options.get(name) === false || options.get(name.replace(/^--no-/, '--')) === false;
}

const GWTOKENS_FLAGS = [...CLIENT_FLAGS, ...FETCH_FLAGS, FRESH].map(longName);

/** Returns the name of gwtoken's flag; undefined for an option of curl's, such as `-r` before a range. */
function gwtokensFlag(name: string, value = '', options: Options): string | undefined {
  if (name === '-r' && isRegion(value.toLowerCase())) return name;
  return GWTOKENS_FLAGS.find((flag) => flag === name.split('=')[0] && !options.has(flag));
}
