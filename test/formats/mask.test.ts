/** Under GitHub Actions a token is masked before a log could get it from stdout, a file or a command. */
import { beforeEach, expect, test } from 'vitest';
import { GET_FORMATS } from '../../src/formats/get-formats';
import { ENV_FORMATS } from '../../src/formats/names';
import type { Output } from '../../src/world';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
let told: string[];
beforeEach(() => {
  gw = inside();
  told = [];
  gw.env['GITHUB_ACTIONS'] = 'true';
  gw.env['GITHUB_ENV'] = gw.env['GITHUB_OUTPUT'] = '/of/the/runner';
  gw.own = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    appender: () => (text) => tell('file', text),
  };
});

/** Notes where which token was seen. */
function tell(where: string, text: string): void {
  for (const [token] of text.matchAll(/token-\d/g)) told.push(`${where} ${token}`);
}

function output(stream: string): Output {
  return {
    isTTY: () => false,
    write: (text) => tell(text.startsWith('::add-mask::') ? 'mask' : stream, text),
  };
}

test.each(GET_FORMATS)('get --format %s masks the token, then prints it', async (format) => {
  expect((await gw.cli(['get', '--format', format])).code).toBe(0);
  expect(told).toEqual(['mask token-1', 'stdout token-1']);
});

test.each(ENV_FORMATS)('env --format %s masks the token, then passes it on', async (format) => {
  expect((await gw.cli(['env', '--format', format])).code).toBe(0);
  const [first, ...others] = told;
  expect(first).toBe('mask token-1');
  expect([...new Set(others)]).toEqual([format.startsWith('github-') ? 'file token-1' : 'stdout token-1']);
});

test('exec --token-file masks each token before the file and the command have it', async () => {
  let look = async (): Promise<void> => {};
  gw.own = {
    ...gw.own,
    after(_, work) {
      look = async () => work();
      return () => {};
    },
    replaceFile: (_, text) => tell('file', text),
    async runProgram(_, __, env) {
      tell('command', String(env['GWTOKEN_ACCESS_TOKEN']));
      for (const _ of [2, 3]) {
        gw.nowMs += 3_500_000;
        await look();
      }
      return { code: 0, signal: null };
    },
  };
  expect((await gw.cli(['exec', '--token-file', 'file', '--', 'anything'])).code).toBe(0);
  expect(told).toEqual([
    'mask token-1',
    'file token-1',
    'command token-1',
    ...['mask token-2', 'file token-2', 'mask token-3', 'file token-3'],
  ]);
});

test.each(['', 'false', '1', 'TRUE'])('GITHUB_ACTIONS=%s masks nothing', async (value) => {
  gw.env['GITHUB_ACTIONS'] = value;
  expect((await gw.cli(['get'])).code).toBe(0);
  expect(told).toEqual(['stdout token-1']);
});

test('what only asks for a token, or fails, writes no mask', async () => {
  await gw.cli(['doctor']);
  gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
  for (const command of [
    ['get', '--fresh'],
    ['env', '--no-cache'],
    ['exec', '--no-cache', '--', 'anything'],
  ])
    expect((await gw.cli(command)).code).not.toBe(0);
  expect(told).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'the mask is the first line where both streams are one',
  async () => {
    const endpoint = await startTokenEndpoint(() => tokenReply('100%'));
    const home = openHome({ ...inVariables(endpoint.authUrl), GITHUB_ACTIONS: 'true' });
    const wrapper = ['sh', '-c', 'exec "$@" 2>&1', 'sh'];
    // The second time from the cache.
    for (const _ of [1, 2])
      expect((await home.gwtoken(['get'], { wrapper })).stdout).toBe('::add-mask::100%25\n100%\n');
  },
);
