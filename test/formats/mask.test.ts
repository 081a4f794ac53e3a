/** In GitHub Actions gwtoken masks a token before it passes the token to stdout, a file or a command. */
import { beforeEach, expect, test, vi } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
/** The places that received a token, in order: `stdout token-1`. */
let received: string[];
const receive = (where: string) => (text: string) => {
  for (const [token] of text.matchAll(/token-\d/g)) received.push(`${where} ${token}`);
};
beforeEach(() => {
  gw = inside();
  received = [];
  gw.env['GITHUB_ACTIONS'] = 'true';
  gw.env['GITHUB_ENV'] = '/of/the/runner';
  gw.own = {
    stdout: { isTTY: () => false, write: receive('stdout') },
    stderr: {
      isTTY: () => false,
      write: (text) => receive(/^\n::add-mask::.*\n$/.test(text) ? 'mask' : 'stderr')(text),
    },
    appender: () => receive('file'),
    replaceFile: (_, text) => receive('file')(text),
    async runProgram(_, args, { env, text }) {
      receive('command')(`${args} ${env['GWTOKEN_ACCESS_TOKEN']} ${text?.content}`);
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
  expect(received).toEqual(['mask token-1', `${where} token-1`]);
});

test('exec --token-file masks each token before it writes the file', async () => {
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
      await vi.waitFor(() => expect(received).toHaveLength(4));
      return { code: 0, signal: null };
    },
  };
  expect((await gw.cli(['exec', '--token-file', 'file', '--', 'anything'])).code).toBe(0);
  expect(received).toEqual(['mask token-1', 'file token-1', 'mask token-2', 'file token-2']);
});

test('the mask escapes % so that the runner decodes the original token', async () => {
  gw.own = {};
  gw.answer = () => tokenReply('50%0A');
  expect((await gw.cli(['get'])).stderr).toBe('\n::add-mask::50%250A\n');
});

test.each(['', 'false', '1', 'TRUE'])('get writes no mask with GITHUB_ACTIONS=%s', async (value) => {
  gw.env['GITHUB_ACTIONS'] = value;
  expect((await gw.cli(['get'])).code).toBe(0);
  expect(received).toEqual(['stdout token-1']);
});
