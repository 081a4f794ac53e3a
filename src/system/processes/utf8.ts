/** Arguments and variables that are not UTF-8, which JavaScript cannot pass on unchanged. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { orUndefined, usage } from '../../errors';
import { quoted } from '../../text';
import type { Env } from '../../world';

/**
 * Throws `usage` if an argument or a variable is not UTF-8. JavaScript has U+FFFD instead of its bytes, and
 * Node leaves out a variable with such a name. Without /proc, as on macOS, U+FFFD counts as such bytes.
 */
export function assertUtf8(words: readonly string[], env: Env): void {
  const word = notUtf8('cmdline', words);
  if (word !== undefined) throw usage(`the argument ${quoted(word)} is not UTF-8`, ['write it in UTF-8']);
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const name = notUtf8('environ', pairs)?.replace(/=.*/s, '');
  if (name === undefined) return;
  throw usage(`the variable ${quoted(name)} is not UTF-8`, [
    name.includes('\ufffd') ? 'unset it' : `to run the command without it, run: env -u ${name} gwtoken …`,
  ]);
}

/** Returns the first of this process's arguments or variables that is not UTF-8, with U+FFFD in it. */
function notUtf8(kind: 'cmdline' | 'environ', texts: readonly string[]): string | undefined {
  const raw = orUndefined(() => readFileSync(`/proc/self/${kind}`, 'latin1').split('\0'));
  if (raw === undefined) return texts.find((text) => text.includes('\ufffd'));
  const found = raw.map((each) => Buffer.from(each, 'latin1')).find((bytes) => !isUtf8(bytes));
  return found?.toString();
}
