/** Under GitHub Actions a token is masked before a log could get it from stdout, a file or a command. */
import { beforeEach, expect, test, vi } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
let told: string[];
const tell = (where: string) => (text: string) => {
  for (const [token] of text.matchAll(/token-\d/g)) told.push(`${where} ${token}`);
};
beforeEach(() => {
  gw = inside();
  told = [];
  gw.env['GITHUB_ACTIONS'] = 'true';
  gw.env['GITHUB_ENV'] = '/of/the/runner';
  gw.own = {
    stdout: { isTTY: () => false, write: tell('stdout') },
    stderr: {
      isTTY: () => false,
      write: (text) => tell(/^\n::add-mask::.*\n$/.test(text) ? 'mask' : 'stderr')(text),
    },
    appender: () => tell('file'),
    replaceFile: (_, text) => tell('file')(text),
    async runProgram(_, args, { env, text }) {
      tell('command')(`${args} ${env['GWTOKEN_ACCESS_TOKEN']} ${text}`);
      return { code: 0, signal: null };
    },
  };
});

test.each([
  [['get'], 'stdout'],
  [['get', '--output', 'x'], 'file'],
  [['env'], 'stdout'],
  [['env', '--format', 'github-env'], 'file'],
  [['exec', '--', 'anything'], 'command'],
  [['curl', 'https://a.test'], 'command'],
])('%j masks the token, then passes it on', async (argv, where) => {
  expect((await gw.cli(argv)).code).toBe(0);
  expect(told).toEqual(['mask token-1', `${where} token-1`]);
});

test('exec --token-file masks each token before the file and the command have it', async () => {
  let wake = (): void => {};
  gw.own = {
    ...gw.own,
    sleep: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    async runProgram(_, __, { beforeStart }) {
      beforeStart?.();
      gw.nowMs += 3_500_000;
      wake();
      await vi.waitFor(() => expect(told).toHaveLength(4));
      return { code: 0, signal: null };
    },
  };
  expect((await gw.cli(['exec', '--token-file', 'file', '--', 'anything'])).code).toBe(0);
  expect(told).toEqual(['mask token-1', 'file token-1', 'mask token-2', 'file token-2']);
});

test('the mask is escaped as the runner undoes it', async () => {
  gw.own = {};
  gw.answer = () => tokenReply('50%0A');
  expect((await gw.cli(['get'])).stderr).toBe('\n::add-mask::50%250A\n');
});

test.each(['', 'false', '1', 'TRUE'])('GITHUB_ACTIONS=%s masks nothing', async (value) => {
  gw.env['GITHUB_ACTIONS'] = value;
  expect((await gw.cli(['get'])).code).toBe(0);
  expect(told).toEqual(['stdout token-1']);
});

test('what only requests a token writes no mask', async () => {
  await gw.cli(['doctor']);
  expect(gw.posts).toHaveLength(1);
  expect(told).toEqual([]);
});
