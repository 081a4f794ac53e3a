/** Arguments and variables with bytes that are not UTF-8. JavaScript shows U+FFFD instead of such bytes. */
import { readFileSync } from 'node:fs';
import { type GwtokenError, orUndefined, usage } from '../../errors';
import { quoted } from '../../text';
import type { Env } from '../../world';

/** Escaped words and variables of a command, and lines of sh that restore their bytes. */
export interface EscapedWords {
  readonly words: readonly string[];
  readonly env: Env;
  readonly restore: string;
}

/**
 * Escapes the words and variables that are not UTF-8; returns undefined if all are UTF-8. Values of variables
 * are passed in variables, because every user of the machine can read arguments.
 *
 * @param words a command with its arguments; they end with the same words as gwtoken's own arguments
 * @throws GwtokenError `usage` if the bytes are unknown, as on macOS, or if sh would drop a variable
 */
export function escapedWords(words: readonly string[], env: Env): EscapedWords | undefined {
  const typed = bytesOf('cmdline');
  const inherited = bytesOf('environ');
  const names = inherited.map((bytes) => decoded(bytes).replace(/=.*/s, ''));
  // Node leaves out such variables, so they cannot be passed on.
  const lost = names.find((name) => name.includes('\ufffd'));
  if (lost !== undefined) throw notUtf8('variable', lost);

  const rawWords = words.map((word, at) => {
    const original = typed.at(at - words.length);
    return rawOrThrow(word, original === undefined ? [] : [original], () => notUtf8('argument', word));
  });
  const rawVariables = Object.entries(env).flatMap(([name, value]) => {
    const raw = rawOrThrow(`${name}=${value}`, inherited, () => notUtf8('variable', name));
    return raw === undefined ? [] : [{ name, value: raw.slice(name.length + 1) }];
  });
  if (rawVariables.length === 0 && rawWords.every((raw) => raw === undefined)) return undefined;
  const unfit = Object.keys(env).find((name) => !/^[a-z_]\w*$/i.test(name));
  if (unfit !== undefined)
    throw usage(`cannot pass on the variable ${quoted(unfit)} beside words that are not UTF-8`, REMOVE);

  return {
    words: words.map((word, at) => (rawWords[at] === undefined ? word : escaped(rawWords[at]))),
    env: { ...env, ...Object.fromEntries(rawVariables.map(({ name, value }) => [name, escaped(value)])) },
    restore: restoringLines(
      rawVariables.map(({ name }) => name),
      rawWords.map((raw) => raw !== undefined),
    ),
  };
}

/**
 * Returns lines of sh that restore the bytes of variables and words by printf(1). $() removes line ends at
 * the end of a value, so each value first gets a dot at its end, and then loses it.
 */
function restoringLines(variables: readonly string[], isRaw: readonly boolean[]): string {
  const lines = variables.map((name) => `${name}=$(printf "$${name}."); ${name}=\${${name}%.}\n`);
  const withDots = isRaw.map((raw, at) => (raw ? `"$(printf "\${${at + 1}}.")"` : `"\${${at + 1}}"`));
  const withoutDots = isRaw.map((raw, at) => `"\${${at + 1}${raw ? '%.' : ''}}"`);
  return `${lines.join('')}set -- ${withDots.join(' ')}\nset -- ${withoutDots.join(' ')}\n`;
}

const REMOVE = 'remove it, or write it in UTF-8';

function notUtf8(kind: 'argument' | 'variable', name: string): GwtokenError {
  return usage(`the ${kind} ${quoted(name)} is not UTF-8`, REMOVE);
}

/**
 * Returns the original of a word that is not UTF-8, one character for each byte; undefined for UTF-8.
 *
 * @param originals bytes of which one may be the original
 * @throws the error that `missing` makes, if none of them is
 */
function rawOrThrow(word: string, originals: readonly string[], missing: () => GwtokenError) {
  if (!word.includes('\ufffd')) return undefined;
  const original = originals.find((bytes) => decoded(bytes) === word);
  if (original === undefined) throw missing();
  // The word may really contain U+FFFD.
  return Buffer.from(word).toString('latin1') === original ? undefined : original;
}

/** Returns the arguments or variables of this process; empty if the system does not show them. */
function bytesOf(kind: 'cmdline' | 'environ'): readonly string[] {
  const text = orUndefined(() => readFileSync(`/proc/self/${kind}`, 'latin1')) ?? '';
  return text.split('\0').slice(0, -1);
}

const decoded = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();

/** Escapes all but letters and digits for printf(1), such as `\351`. */
const escaped = (bytes: string): string =>
  bytes.replace(/\W/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
