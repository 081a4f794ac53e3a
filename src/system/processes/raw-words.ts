/** Arguments and variables with bytes that are not UTF-8. JavaScript shows U+FFFD instead of such bytes. */
import { readFileSync } from 'node:fs';
import { orUndefined, usage } from '../../errors';
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
 * @param words words whose last ones are gwtoken's last arguments
 * @throws GwtokenError `usage` if the bytes are unknown, as on macOS, or if a shell cannot pass them on
 */
export function escapedWords(words: readonly string[], env: Env): EscapedWords | undefined {
  const typed = bytesOf('cmdline');
  const inherited = bytesOf('environ');
  // Node leaves out variables whose names are not UTF-8.
  for (const bytes of inherited) rawOrThrow(decoded(bytes).replace(/=.*/s, ''), [], 'the variable');

  const rawWords = words.map((word, at) => {
    const original = typed.at(at - words.length);
    return rawOrThrow(word, original === undefined ? [] : [original], 'the argument');
  });
  const rawVariables = Object.entries(env).flatMap(([name, value]) => {
    const raw = rawOrThrow(`${name}=${value}`, inherited, 'the variable', name);
    return raw === undefined ? [] : [{ name, value: raw.slice(name.length + 1) }];
  });
  if (rawVariables.length === 0 && rawWords.every((raw) => raw === undefined)) return undefined;
  const unfit = Object.keys(env).find((name) => !/^[a-z_]\w*$/i.test(name));
  if (unfit !== undefined)
    throw usage(`cannot pass on the variable ${quoted(unfit)} beside words that are not UTF-8`, REMOVE);

  // The dot protects line ends at the end of a value, which $() removes.
  const lines = rawVariables.map(({ name }) => `${name}=$(printf "$${name}."); ${name}=\${${name}%.}\n`);
  const withDots = words.map((_, at) => (rawWords[at] ? `"$(printf "\${${at + 1}}.")"` : `"\${${at + 1}}"`));
  const withoutDots = words.map((_, at) => (rawWords[at] ? `"\${${at + 1}%.}"` : `"\${${at + 1}}"`));
  return {
    words: words.map((word, at) => (rawWords[at] === undefined ? word : escaped(rawWords[at]))),
    env: { ...env, ...Object.fromEntries(rawVariables.map(({ name, value }) => [name, escaped(value)])) },
    restore: `${lines.join('')}set -- ${withDots.join(' ')}\nset -- ${withoutDots.join(' ')}\n`,
  };
}

const REMOVE = 'remove it, or write it in UTF-8';

/**
 * Returns the original of a word that is not UTF-8, one character for each byte; undefined for UTF-8.
 *
 * @throws GwtokenError `usage` if the original is not found
 */
function rawOrThrow(word: string, originals: readonly string[], kind: string, name = word) {
  if (!word.includes('\ufffd')) return undefined;
  const original = originals.find((bytes) => decoded(bytes) === word);
  if (original === undefined) throw usage(`${kind} ${quoted(name)} is not UTF-8`, REMOVE);
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
