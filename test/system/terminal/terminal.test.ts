/** The rules of the terminal: when it prompts, colours and draws, and how it reads an answer. */
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openTerminal, painter } from '../../../src/system/terminal/terminal';
import type { World } from '../../../src/world';
import { bundle } from '../../harness/programs/bundle';
import { runCommand } from '../../harness/programs/program';
import { openTerminal as openPty } from '../../harness/programs/terminal';
import { ROOT } from '../../harness/root';

type Env = Record<string, string>;

describe('painter()', () => {
  const isColoured = async (env: Env, isTTY: boolean) => (await painter(env, isTTY)).red('x') !== 'x';

  test.each<[env: Env, isTTY: boolean, isColoured: boolean]>([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: 'true', TERM: 'dumb' }, false, true],
    [{ FORCE_COLOR: '' }, false, false],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
  ])('with %j and isTTY %s, paints: %s', async (env, isTTY, expected) => {
    expect(await isColoured(env, isTTY)).toBe(expected);
  });
});

test('promptProblem() names the stream that is not a terminal, or CI', () => {
  const stream = (isTTY: boolean) => ({ isTTY: () => isTTY });
  const why = (stdin: boolean, stderr: boolean, env: Record<string, string> = {}) =>
    openTerminal({ env, stdin: stream(stdin), stderr: stream(stderr) } as World, vi.fn()).promptProblem();
  expect(why(true, true)).toBeUndefined();
  expect(why(true, true, { TERM: 'xterm', CI: 'false' })).toBeUndefined();
  expect(why(false, true, { TERM: 'dumb', CI: '1' })).toBe('stdin is not a terminal');
  expect(why(true, false, { TERM: 'dumb', CI: '1' })).toBe('stderr is not a terminal');
  expect(why(true, true, { TERM: 'dumb' })).toBeUndefined();
  expect(why(true, true, { CI: '1' })).toBe('CI is set');
});

/** Opens a terminal on which a person types these answers. `shown` returns the lines that it has shown. */
function typing(...answers: string[]) {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const readLine = async (question: string, isSecret: boolean) => {
    text += `${question}${isSecret}\n`;
    return answers.shift() ?? '';
  };
  const terminal = openTerminal({ env: {}, stderr: { write } } as unknown as World, async () => readLine);
  return { ...terminal, shown: () => text.split('\n').slice(0, -1) };
}

test('ask() offers the stored value, and repeats the question after a bad answer', async () => {
  const check = (answer: string) => (answer === 'bad' ? 'Refused' : undefined);
  const withStored = typing('bad', '');
  expect(await withStored.ask('Name', check, { suggested: 'stored' })).toBe('stored');
  expect(withStored.shown()).toEqual([
    'Name [stored], Enter keeps it: false',
    'Refused',
    'Name [stored], Enter keeps it: false',
  ]);
  const withoutStored = typing('typed');
  expect(await withoutStored.ask('Name', check)).toBe('typed');
  expect(withoutStored.shown()).toEqual(['Name: false']);
  const secret = typing('bad', 'hush');
  expect(await secret.ask('Secret', check, { isSecret: true })).toBe('hush');
  expect(secret.shown()).toEqual(['Secret: true', 'Refused', 'Secret: true']);
});

test.each([
  ['', false],
  ['any', false],
  ['Y', true],
  ['yes', true],
])('confirm() takes the answer %j as %s', async (answer, expected) => {
  const terminal = typing(answer);
  expect(await terminal.confirm('Remove?')).toBe(expected);
  expect(terminal.shown()).toEqual(['Remove? (y/N): false']);
});

test('isForeground() without /proc returns whether the process has a terminal', async ({ needs }) => {
  needs('posix');
  const module = await bundle(join(ROOT, 'src', 'system', 'terminal', 'job.ts'));
  const script = "console.log(require(process.argv[1]).isForeground('darwin'))";
  const words = [process.execPath, '-e', script, module];
  expect(await runCommand(words, { env: {}, detached: true })).toMatchObject({ stdout: 'false\n' });
  const { exit, screen } = openPty(words, { env: {} });
  await exit;
  expect(screen()).toBe('true\n');
});
