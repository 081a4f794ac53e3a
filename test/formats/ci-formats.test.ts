/** The formats that append to the runner's files, with files, processes and a disk that are real. */
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
import { expectRefusal } from '../harness/homes/refusals';

const TOKEN = 'the-token/+==';
/** The runner's file; it has a line of an earlier command in it. */
let file: string;
beforeEach(() => {
  file = join(openDirectory(), 'env');
  writeFileSync(file, 'EARLIER=1');
});

test('github-env appends after a line without an end, and of several processes keeps each entry whole', async () => {
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

test.each<[what: string, path: (dir: string) => string, problem: (path: string) => string]>([
  ['does not exist', (dir) => join(dir, 'missing'), (path) => `points to ${path}, which is not a file`],
  ['is a directory', (dir) => dir, (path) => `points to ${path}, which is not a file`],
  ['nobody has named', () => '', () => 'is not set'],
])('a file of the runner that %s is refused before a token is requested', async (_what, pathIn, problem) => {
  const gw = inside();
  const path = pathIn(gw.config);
  gw.configure({});
  gw.env['GITHUB_ENV'] = path;
  const refused = await gw.cli(['env', '--format', 'github-env']);
  expectRefusal(refused, 2);
  expect(refused.stderr).toBe(
    `gwtoken: error: GITHUB_ENV ${problem(path)}\n` +
      'hint: the runner sets GITHUB_ENV for each step; for a shell, see: gwtoken help shells\n',
  );
  expect(existsSync(join(gw.config, 'missing'))).toBe(false);
  expect(gw.posts).toEqual([]);
});

test('a file that is gone by the time of the write is not created again', () => {
  writeFileSync(file, '');
  const append = openAppender(file, 'GITHUB_ENV');
  for (const text of ['a=1\n', 'b=2', 'c=3\n']) append(text);
  expect(readFileSync(file, 'utf8')).toBe('a=1\nb=2\nc=3\n');
  rmSync(file);
  expect(() => append('d=4\n')).toThrow(
    expect.objectContaining({
      kind: 'local',
      message: `cannot append to ${file} (from GITHUB_ENV): ENOENT`,
      hints: ["check the free disk space and the file's permissions"],
    }),
  );
  expect(existsSync(file)).toBe(false);
});

test('a failure writes nothing: the client is refused, or the arguments are', async () => {
  const gw = inside();
  gw.env['GITHUB_ENV'] = file;
  gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
  expectRefusal(await gw.cli(['env', '--format', 'github-env']), 3);
  expectRefusal(await gw.cli(['env', '--format', 'github-env', '--regoin', 'eu']), 2);
  expect(readFileSync(file, 'utf8')).toBe('EARLIER=1');
});
