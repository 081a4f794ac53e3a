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

/** Types a text into a shell that finds no program. Resolves with the command lines that it tried to run. */
async function tried(shell: keyof typeof SHELLS, text: string): Promise<string[]> {
  const cwd = openDirectory();
  const [record, log] = [join(cwd, 'record'), join(cwd, 'log')];
  // After the first pause each program fails, which ends a loop.
  const lines = [
    '#!/bin/sh',
    `line=$(printf '%s ' "$@")`,
    `printf '%s\\n' "$line" >>${log}`,
    `! /bin/grep -q '^sleep ' ${log}`,
  ];
  writeFileSync(record, `${lines.join('\n')}\n`, { mode: 0o755 });
  writeFileSync(join(cwd, 'gwtoken'), `#!/bin/sh\nexec ${record} ./gwtoken "$@"\n`, { mode: 0o755 });
  for (const file of ['secret.txt', 'gwtoken-X.tar.gz', 'gwtoken-X.tgz']) writeFileSync(join(cwd, file), '');
  writeFileSync(log, '');
  const { args, handler } = SHELLS[shell];
  const stdin = `${handler}() { ${record} "$@"; }\n${text}\n`;
  await runCommand([`/usr/bin/${shell}`, ...args], { env: { PATH: '/nowhere', HOME: cwd }, cwd, stdin });
  const found = readFileSync(log, 'utf8').trimEnd().replaceAll(cwd, '').replace(/ +$/gm, '');
  // The programs of a pipe run at the same time. The shells number the descriptors of <(…) in their own ways.
  return found
    .replace(/\S*\/fd\/\d+/g, '/fd')
    .split('\n')
    .sort();
}

test.for(FILES.map((file) => [basename(file), copied(readFileSync(file, 'utf8'))] as const))(
  '%s',
  { timeout: 60_000 },
  async ([, texts], { needs }) => {
    needs('linux', 'bash', 'zsh');
    for (const text of texts) expect(await tried('zsh', text), text).toEqual(await tried('bash', text));
  },
);

test('the examples of the help', { timeout: 60_000 }, async ({ needs }) => {
  needs('linux', 'bash', 'zsh');
  const examples = allCommands(COMMANDS).flatMap(({ command }) => Object.keys(command.examples));
  const lines = examples.filter((line) => !line.includes('powershell'));
  for (const line of lines) expect(await tried('zsh', line), line).toEqual(await tried('bash', line));
});
