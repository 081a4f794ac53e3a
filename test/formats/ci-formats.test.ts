/** The formats that append to the runner's files, with files, processes and a disk that are real. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openAppender } from '../../src/system/files/user-file';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { readFileCommands } from '../harness/github-runner';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { type Inside, inside } from '../harness/homes/in-process';
import { expectRefusal } from '../harness/homes/refusals';
import type { ProgramResult } from '../harness/programs/program';

const TOKEN = 'the-token/+==';

let endpoint: TokenEndpoint;
let home: Home;
/** The runner's files; each has a line of an earlier command in it. */
let files: { GITHUB_ENV: string; GITHUB_OUTPUT: string };
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply(TOKEN, { scope: 'read write' }));
  home = openHome(inVariables(endpoint.authUrl));
  files = { GITHUB_ENV: join(home.dir, 'env'), GITHUB_OUTPUT: join(home.dir, 'output') };
  for (const path of Object.values(files)) writeFileSync(path, 'EARLIER=1');
});

const env = (format: string, ...flags: string[]): Promise<ProgramResult> =>
  home.gwtoken(['env', '--format', format, ...flags], { env: files });
const contents = () => Object.values(files).map((path) => readFileSync(path, 'utf8'));
const DONE = { code: 0, stdout: '', stderr: '' };

describe('github-env', () => {
  test('appends to the file, after a line without an end', async () => {
    expect(await env('github-env')).toMatchObject(DONE);
    expect(await env('github-env', '--prefix', 'US_')).toMatchObject(DONE);
    const [text = '', output] = contents();
    expect(output).toBe('EARLIER=1');
    expect(text).toMatch(/^EARLIER=1\nGWTOKEN_ACCESS_TOKEN<<ghadelimiter_/);
    expect(Object.fromEntries(readFileCommands(text))).toMatchObject({
      EARLIER: '1',
      GWTOKEN_ACCESS_TOKEN: TOKEN,
      US_ACCESS_TOKEN: TOKEN,
      US_EXPIRES_AT: expect.stringMatching(/^\d{10}$/),
    });
  });

  test('of several processes at once keeps every entry whole', async () => {
    const prefixes = ['A_', 'B_', 'C_', 'D_', 'E_', 'F_'];
    await Promise.all(prefixes.map((prefix) => env('github-env', '--prefix', prefix)));
    const entries = readFileCommands(contents()[0]!);
    expect(prefixes.map((prefix) => entries.get(`${prefix}ACCESS_TOKEN`))).toEqual(prefixes.map(() => TOKEN));
    expect(entries.size).toBe(1 + 4 * prefixes.length);
  });
});

describe('a file of the runner that cannot be used', () => {
  let gw: Inside;
  beforeEach(() => {
    gw = inside();
  });
  test.each<[what: string, path: () => string]>([
    ['does not exist', () => join(home.dir, 'missing')],
    ['is a directory', () => home.dir],
    ['has an impossible name', () => join(home.dir, 'x'.repeat(300))],
  ])('when it %s: refused before a token is requested', async (_what, path) => {
    gw.env['GITHUB_ENV'] = path();
    for (const flags of [[], ['--unset']]) {
      const refused = await gw.cli(['env', '--format', 'github-env', ...flags]);
      expectRefusal(refused, 2);
      expect(refused.stderr.replace(path(), 'PATH')).toBe(
        'gwtoken: error: GITHUB_ENV points to PATH, which is not a file\n' +
          'hint: do not change GITHUB_ENV; the runner sets it for each step\n',
      );
    }
    expect(existsSync(join(home.dir, 'missing'))).toBe(false);
    expect(gw.posts).toEqual([]);
  });

  test('when it is gone by the time of the write: not created again', () => {
    const path = join(home.dir, 'appended');
    writeFileSync(path, '');
    const append = openAppender(path, 'GITHUB_ENV');
    for (const text of ['a=1\n', 'b=2', 'c=3\n']) append(text);
    expect(readFileSync(path, 'utf8')).toBe('a=1\nb=2\nc=3\n');
    rmSync(path);
    expect(() => append('d=4\n')).toThrow(
      expect.objectContaining({
        kind: 'local',
        message: `cannot append to ${path} (from GITHUB_ENV): ENOENT`,
        hints: ["check the free disk space and the file's permissions"],
      }),
    );
    expect(existsSync(path)).toBe(false);
  });
});

test.each(['github-env', 'dotenv'])(
  '%s writes nothing when the client is refused, or the arguments are',
  async (format) => {
    const gw = inside();
    Object.assign(gw.env, files);
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expectRefusal(await gw.cli(['env', '--format', format]), 3);
    expectRefusal(await gw.cli(['env', '--format', format, '--regoin', 'eu']), 2);
    expect(contents()).toEqual(['EARLIER=1', 'EARLIER=1']);
  },
);

test('a token that a format cannot carry is cached all the same', async () => {
  const gw = inside();
  gw.answer = () => tokenReply(TOKEN, { scope: 'a%b' });
  for (const _ of [1, 2]) {
    const refused = await gw.cli(['env', '--format', 'azure']);
    expectRefusal(refused, 2);
    expect(refused.stderr).toContain('cannot pass GWTOKEN_SCOPE unchanged: its value contains %, which');
    expect(refused.stderr).not.toContain('a%b');
  }
  expect(gw.posts).toHaveLength(1);
});
