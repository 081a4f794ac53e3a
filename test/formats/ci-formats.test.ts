/** The formats that append to the files of a CI runner, tested with real files and processes. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openAppender } from '../../src/system/files/user-file';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { readFileCommands } from '../harness/github-runner';
import { inVariables } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { openHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';

const TOKEN = 'the-token/+==';
/** The runner's file, which already contains a line of an earlier command without a line end. */
let file: string;
beforeEach(() => {
  file = join(openDirectory(), 'env');
  writeFileSync(file, 'EARLIER=1');
});

test('parallel runs of env --format github-env append whole entries on new lines', async () => {
  const { authUrl } = await startTokenEndpoint(() => tokenReply(TOKEN));
  const home = openHome({ ...inVariables(authUrl), GITHUB_ENV: file });
  const prefixes = ['A_', 'B_', 'C_', 'D_'];
  const ended = await Promise.all(
    prefixes.map((prefix) => home.gwtoken(['env', '--format', 'github-env', '--prefix', prefix])),
  );
  for (const result of ended) expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const entries = readFileCommands(readFileSync(file, 'utf8'));
  expect(prefixes.map((prefix) => entries.get(`${prefix}ACCESS_TOKEN`))).toEqual(prefixes.map(() => TOKEN));
  expect([entries.get('EARLIER'), entries.size]).toEqual(['1', 1 + 4 * prefixes.length]);
});

test.each([
  {
    fault: 'names no existing file',
    path: 'DIR/missing',
    problem: 'points to DIR/missing, which is not a file',
  },
  { fault: 'names a directory', path: 'DIR', problem: 'points to DIR, which is not a file' },
  { fault: 'is empty', path: '', problem: 'is not set' },
])('env rejects a GITHUB_ENV that $fault before it requests a token', async ({ path, problem }) => {
  const gw = inside();
  gw.configure({});
  gw.env['GITHUB_ENV'] = path.replace('DIR', gw.config);
  const stderr =
    `gwtoken: error: GITHUB_ENV ${problem.replace('DIR', gw.config)}\n` +
    'hint: the runner sets GITHUB_ENV; for a shell, see: gwtoken help shells\n';
  expect(await gw.cli(['env', '--format', 'github-env'])).toEqual({ code: 2, stdout: '', stderr });
  expect(existsSync(join(gw.config, 'missing'))).toBe(false);
  expect(gw.posts).toEqual([]);
});

test('an appender ends a line before it appends', () => {
  writeFileSync(file, '');
  const append = openAppender(file, 'GITHUB_ENV');
  for (const text of ['a=1\n', 'b=2', 'c=3\n']) append(text);
  expect(readFileSync(file, 'utf8')).toBe('a=1\nb=2\nc=3\n');
});

test('an appender does not create a file that was removed after it was opened', () => {
  writeFileSync(file, '');
  const append = openAppender(file, 'GITHUB_ENV');
  rmSync(file);
  expect(() => append('d=4\n')).toThrow(
    expect.objectContaining({
      kind: 'local',
      message: `cannot append to ${file} (from GITHUB_ENV): no such file or directory`,
      hints: ["check the free disk space and the file's permissions"],
    }),
  );
  expect(existsSync(file)).toBe(false);
});

test('env appends nothing if the endpoint or gwtoken itself rejects the call', async () => {
  const gw = inside();
  gw.env['GITHUB_ENV'] = file;
  gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
  for (const [code, ...flags] of [[3], [2, '--regoin', 'eu']] as const)
    expect(await gw.cli(['env', '--format', 'github-env', ...flags])).toMatchObject({ code, stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe('EARLIER=1');
});
