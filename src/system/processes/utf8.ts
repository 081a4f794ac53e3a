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
  const at = words.findIndex((word) => word.includes('\ufffd'));
  if (at >= 0 && firstNotUtf8('cmdline', words)) throw usage(`argument ${at} is not UTF-8`);
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const pair = firstNotUtf8('environ', pairs);
  if (pair) throw usage(`the variable ${quoted(pair.replace(/=.*/s, ''))} is not UTF-8`);
}

/**
 * Returns the first of this process's arguments or variables that is not UTF-8, with U+FFFD in it. Without
 * /proc, as on macOS, it returns the first text with U+FFFD.
 */
function firstNotUtf8(kind: 'cmdline' | 'environ', texts: readonly string[]): string | undefined {
  const raw = orUndefined(() => readFileSync(`/proc/self/${kind}`, 'latin1').split('\0'));
  if (raw === undefined) return texts.find((text) => text.includes('\ufffd'));
  const found = raw.map((each) => Buffer.from(each, 'latin1')).find((bytes) => !isUtf8(bytes));
  return found?.toString();
}
