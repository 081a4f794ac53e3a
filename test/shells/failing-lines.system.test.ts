/**
 * Shells that evaluate the output of a failure lose the old variables and get an exit code. The output of each
 * faulty line is in test/cli/failing-lines.test.ts.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';
import { linkProgram, runCommand } from '../harness/programs/program';

/** A fault in each part of a line, and faults outside its words. */
const LINES = [
  ...['-r mars env', '', 'envv', 'env --bogus', 'env -r eu'],
  ...['env -r eu <&-', 'env -r eu 2>&-', 'env -r mars 2>&-', 'env -r eu 3</dev/null'],
];

/** Runs gwtoken once for each line, and returns the file of each output, which the shells then evaluate. */
async function outputsOf(flags = ''): Promise<readonly string[]> {
  const home = openHome();
  const env = { ...home.env, PATH: linkProgram(join(home.dir, 'bin')), LC_ALL: 'C.UTF-8' };
  // The line's own redirections come last, so that they count.
  const script = LINES.map((words, at) => `gwtoken >output-${at} 2>/dev/null ${flags} ${words}`);
  await runCommand(['sh', '-c', script.join('\n')], { env, cwd: home.dir, timeoutMs: 80_000 });
  expect(readdirSync(home.dir)).toContain(`output-${LINES.length - 1}`);
  return LINES.map((_, at) => join(home.dir, `output-${at}`));
}

/** Lets a shell evaluate each output in each way, and returns the lines that did not stop it. */
async function survivors(shell: string, outputs: readonly string[], ways: readonly Way[]): Promise<string[]> {
  const script = ways.flatMap((way) => outputs.map((path) => way(`cat ${path}`))).join('\n');
  const { stdout } = await runCommand([shell, '-c', script], { env: {}, timeoutMs: 80_000 });
  const ends = stdout.trimEnd().split('\n');
  expect(ends).toHaveLength(LINES.length * ways.length);
  return ends
    .map((end, at) => `${LINES[at % LINES.length]}: ${end}`)
    .filter((end) => !/: [1-9]\d* gone$/.test(end));
}

/** Returns statements that evaluate a command's output, and then print the status and the old variable. */
type Way = (command: string) => string;

const set = 'GWTOKEN_ACCESS_TOKEN=OLD; export GWTOKEN_ACCESS_TOKEN';
const show = `echo "$? $\{GWTOKEN_ACCESS_TOKEN+kept}$\{GWTOKEN_ACCESS_TOKEN-gone}"`;
const POSIX: readonly Way[] = [
  (command) => `${set}; eval $(${command}); ${show}`,
  (command) => `${set}; eval "$(${command})"; ${show}`,
  // The line after eval must not run.
  (command) => `(set -e; eval $(${command}); echo "went on"); echo "$? gone"`,
];
const FISH: Way = (command) => `set -gx GWTOKEN_ACCESS_TOKEN OLD
  ${command} | source
  echo $status (set -q GWTOKEN_ACCESS_TOKEN; and echo kept; or echo gone)`;

test('dash, bash and zsh stop at each failing line', async ({ needs }) => {
  needs('posix', 'zsh');
  const outputs = await outputsOf();
  for (const shell of ['dash', 'bash', 'zsh']) expect(await survivors(shell, outputs, POSIX)).toEqual([]);
});

test('fish stops at each failing line', async ({ needs }) => {
  needs('posix', 'fish');
  expect(await survivors('fish', await outputsOf('--format fish'), [FISH])).toEqual([]);
});
