/** A directory whose files are named after the words of an output; each leaves PWNED if run. */
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ALWAYS = [
  ...['a', 'b', 'export', 'unset', 'set', 'env', 'printf', 'sh', 'cat'],
  ...["'a", '-n', '-e', '~', '=ls', ';touch PWNED;', "';touch PWNED;'", 'X=a'],
];

/** Makes the directory for these outputs. Returns a function that tells what was made in it since. */
export function makeHostileDirectory(directory: string, outputs: readonly string[]): () => string[] {
  mkdirSync(directory);
  const program = `${directory}.program`;
  writeFileSync(program, `#!/bin/sh\ntouch '${directory}/PWNED'\n`, { mode: 0o755 });
  const words = outputs.flatMap((output) => output.split(/\s+/));
  for (const name of new Set([...ALWAYS, ...words.flatMap(matchesOf)])) {
    // The mark that something ran must not be there before.
    if (name.split('/').includes('PWNED')) continue;
    const path = join(directory, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      linkSync(program, path);
    } catch {
      // It is no file's name, or needs a directory where another is a file.
    }
  }
  const files = (): string[] => readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const before = new Set(files());
  return () => files().filter((file) => !before.has(file));
}

/** The word itself, and what it matches where its backslashes are taken for a pattern's. */
function matchesOf(word: string): string[] {
  return [word, word.replace(/\\(.)/g, '$1'), word.replace(/\\/g, ''), word.replace(/['"\\]/g, '')];
}
