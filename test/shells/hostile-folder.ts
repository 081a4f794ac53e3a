/** A folder whose files are named after the words and patterns of an output; each leaves PWNED if run. */
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const EVIL = "';touch PWNED;'";

/** What a `*` may stand for, so that the matching name does harm when it takes the word's place. */
const FILLS = ['', 'a', EVIL, '$(touch PWNED)', ';touch PWNED;'];

const ALWAYS = [
  ...['a', 'b', 'export', 'unset', 'set', 'env', 'printf', 'sh', 'cat'],
  ...["'a", '-n', '-e', '~', '=ls', ';touch PWNED;', EVIL, 'X=a'],
];

/** Fills the folder for these outputs. */
export function fillHostileFolder(folder: string, outputs: readonly string[]): void {
  const names = new Set(ALWAYS);
  for (const word of new Set(outputs.flatMap((output) => output.split(/[\s]+/)))) {
    for (const name of matchesOf(word)) names.add(name);
  }
  const program = `${folder}.program`;
  writeFileSync(program, `#!/bin/sh\ntouch '${folder}/PWNED'\n`, { mode: 0o755 });
  for (const name of names) {
    // The mark that something ran must not be there before.
    if (!isFileName(name) || name.includes('PWNED/') || name === 'PWNED') continue;
    const path = join(folder, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      linkSync(program, path);
    } catch {
      // One name may need a folder where another is a file.
    }
  }
}

/** All that is in it, to see if anything was added: a program that ran, a redirection that took effect. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** The word itself, and its matches as a pattern: with quotes and backslashes gone, and globs filled in. */
function matchesOf(word: string): string[] {
  const plain = [word, word.replace(/\\(.)/g, '$1'), word.replace(/\\/g, ''), word.replace(/['"\\]/g, '')];
  return plain.flatMap((text) => [text, ...FILLS.map((fill) => fillIn(text, fill))]);
}

function fillIn(text: string, fill: string): string {
  return text
    .replace(/\[[!^]?([^\]]*)\]/g, (_, members: string) => members.charAt(0) || 'a')
    .replace(/\*+/g, fill)
    .replace(/\?/g, fill.charAt(0) || 'a')
    .replace(/\{([^,}]*),[^}]*\}/g, '$1')
    .replace(/\(([^|)]*)\|[^)]*\)/g, '$1');
}

function isFileName(name: string): boolean {
  const parts = name.split('/');
  return (
    Buffer.byteLength(name) < 1000 &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= 255)
  );
}
