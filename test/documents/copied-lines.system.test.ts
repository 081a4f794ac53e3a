/**
 * Everything that a reader may copy from the documents and the help means the same in zsh as in bash. An
 * interactive zsh, as macOS has it, knows no comments: each word of one becomes an argument.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/grammar';
import { allCommands, codeBlocks, linesInTables } from '../harness/command-lines';
import { openDirectory } from '../harness/homes/directory';
import { runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const TOPICS = join(ROOT, 'src', 'cli', 'topics');
const FILES = [
  ...['README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md'].map((file) => join(ROOT, file)),
  ...readdirSync(TOPICS)
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(TOPICS, file)),
];
/** First words of a block of code that is a shell's. */
const SHELL = 'gwtoken|eval|export|unset|printf|token=|security|dbus-run-session';

/** Returns the blocks and lines of shell in Markdown that a reader may copy. */
function copied(markdown: string): string[] {
  const fenced = codeBlocks(markdown).flatMap(({ file, language, code }) =>
    language === 'sh' && file === undefined ? [code] : [],
  );
  const indented = markdown.replace(/^```[\s\S]*?^```/gm, '').match(/(?:^ {4}.*\n)+/gm) ?? [];
  const shell = indented.filter((block) => new RegExp(`^ {4}(${SHELL})`).test(block));
  const inline = [...markdown.matchAll(/`((?:gwtoken|eval|npm) [^`\n]+)`/g)].map(([, line = '']) => line);
  const all = new Set([...fenced, ...shell, ...linesInTables(markdown), ...inline]);
  // Plain words mean the same in each shell.
  return [...all].filter((text) => /[^\w\s./-]/.test(text));
}

/** The arguments of a shell that reads what is typed from stdin, and the name of its function for missing programs. */
const SHELLS = {
  bash: { args: ['--norc', '--noprofile', '-s'], handler: 'command_not_found_handle' },
  zsh: { args: ['-f', '-i', '-s'], handler: 'command_not_found_handler' },
} as const;

/** Types texts into a shell that finds no program. Resolves with the command lines that it tried to run for each. */
async function tried(shell: keyof typeof SHELLS, texts: readonly string[]): Promise<string[][]> {
  const cwd = openDirectory();
  const log = join(cwd, 'log');
  // After the first pause each program of a text fails, which ends a loop.
  const record = `printf '\\0%s %s' "$TEXT" "$*" >>${log}
    [ "$1" != sleep ] || : >${cwd}/slept-$TEXT
    [ ! -e ${cwd}/slept-$TEXT ]`;
  writeFileSync(join(cwd, 'gwtoken'), `#!/bin/sh\nset ./gwtoken "$@"\n${record}\n`, { mode: 0o755 });
  for (const file of ['secret.txt', 'gwtoken-X.tar.gz', 'gwtoken-X.tgz']) writeFileSync(join(cwd, file), '');
  const { args, handler } = SHELLS[shell];
  // Each text has a subshell, which it may end.
  const typed = [...texts, 'the end'].map((text, at) => `(export TEXT=${at}\n${text}\n)\n`);
  const stdin = `${handler}() {\n${record}\n}\n${typed.join('')}`;
  await runCommand([`/usr/bin/${shell}`, ...args], { env: { PATH: '/nowhere', HOME: cwd }, cwd, stdin });
  const recorded = readFileSync(log, 'utf8').replaceAll(cwd, '').split('\0');
  expect(recorded).toContain(`${texts.length} the end`);
  // The programs of a pipe run at the same time. The shells number the descriptors of <(…) in their own ways.
  const found = recorded.map((line) => line.replace(/\S*\/fd\/\d+/g, '/fd').trimEnd()).sort();
  return texts.map((_, at) => found.filter((line) => line.startsWith(`${at} `)));
}

/** Fails with the text that does not mean the same in both shells. */
async function expectSame(texts: readonly string[]): Promise<void> {
  const [inZsh, inBash] = await Promise.all([tried('zsh', texts), tried('bash', texts)]);
  for (const [at, text] of texts.entries()) expect(inZsh[at], text).toEqual(inBash[at]);
}

test.for(FILES.map((file) => [basename(file), copied(readFileSync(file, 'utf8'))] as const))(
  '%s',
  { timeout: 60_000 },
  async ([, texts], { needs }) => {
    needs('linux', 'bash', 'zsh');
    await expectSame(texts);
  },
);

test('the examples of the help', { timeout: 60_000 }, async ({ needs }) => {
  needs('linux', 'bash', 'zsh');
  const examples = allCommands(COMMANDS).flatMap(({ command }) => Object.keys(command.examples));
  await expectSame(examples.filter((line) => !line.includes('powershell')));
});
