/** A directory whose files are named after the words of an output. Each file creates PWNED if it is run. */
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ALWAYS = [
  ...['a', 'b', 'export', 'unset', 'set', 'env', 'printf', 'sh', 'cat'],
  ...["'a", '-n', '-e', '~', '=ls', ';touch PWNED;', "';touch PWNED;'", 'X=a'],
];

/** Makes the directory for these outputs. Returns a function that lists the files created since then. */
export function makeHostileDirectory(directory: string, outputs: readonly string[]): () => string[] {
  mkdirSync(directory);
  const program = `${directory}.program`;
  writeFileSync(program, `#!/bin/sh\ntouch '${directory}/PWNED'\n`, { mode: 0o755 });
  const words = outputs.flatMap((output) => output.split(/\s+/));
  for (const name of new Set([...ALWAYS, ...words.flatMap(matchesOf)])) {
    // PWNED marks that a file was run, so it must not exist yet.
    if (name.split('/').includes('PWNED')) continue;
    const path = join(directory, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      linkSync(program, path);
    } catch {
      // The word cannot be a file name, or a part of it is already a file.
    }
  }
  const files = (): string[] => readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const before = new Set(files());
  return () => files().filter((file) => !before.has(file));
}

/** Returns the word, and the names that it matches if a shell reads its backslashes as a pattern's. */
function matchesOf(word: string): string[] {
  return [word, word.replace(/\\(.)/g, '$1'), word.replace(/\\/g, ''), word.replace(/['"\\]/g, '')];
}
