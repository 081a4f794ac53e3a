/** Arguments and variables that are not UTF-8, which JavaScript cannot pass on unchanged. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { orUndefined, usage } from '../../errors';
import { quoted } from '../../text';
import type { Env } from '../../world';

/**
 * Throws `usage` if a word of the program (`argument 0` is its name) or a variable is not UTF-8. JavaScript
 * has U+FFFD instead of such bytes, and Node leaves out a variable with such a name.
 */
export function assertUtf8(words: readonly string[], env: Env): void {
  if (words.some(hasReplacement)) {
    // The program's words are the last arguments of this process.
    const at = notUtf8In('cmdline', words).slice(-words.length).findIndex(hasReplacement);
    if (at >= 0) throw usage(`argument ${at} is not UTF-8`);
  }
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const pair = notUtf8In('environ', pairs).find(hasReplacement);
  if (pair) throw usage(`the variable ${quoted(pair.replace(/=.*/s, ''))} is not UTF-8`);
}

function hasReplacement(text: string): boolean {
  return text.includes('\ufffd');
}

/**
 * Returns this process's arguments or variables: those that are not UTF-8 with U+FFFD, the others empty.
 * Without /proc, as on macOS, returns the texts as they are.
 */
function notUtf8In(kind: 'cmdline' | 'environ', texts: readonly string[]): readonly string[] {
  const raw = orUndefined(() => readFileSync(`/proc/self/${kind}`, 'latin1').split('\0').slice(0, -1));
  const bytes = raw?.map((each) => Buffer.from(each, 'latin1'));
  return bytes?.map((each) => (isUtf8(each) ? '' : each.toString())) ?? texts;
}
