/** `get --output FILE` and `exec --token-file FILE`: a whole token at a path, in a file of the user's. */
import {
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openDirectory } from '../harness/homes/directory';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
let directory: string;
let file: string;
beforeEach(() => {
  gw = inside();
  directory = openDirectory();
  file = join(directory, 'token');
});

describe('get --output', () => {
  test('writes what would be printed, for the user alone, and prints nothing', async () => {
    const printed = await gw.get('--format', 'header');
    writeFileSync(file, 'old', { mode: 0o644 });
    for (const [flags, text] of [
      [[], printed],
      [['--fresh'], 'Authorization: Bearer token-2'],
    ] as const) {
      expect(await gw.get('--format', 'header', '--output', file, ...flags)).toBe('');
      expect(readFileSync(file, 'utf8').trim()).toBe(text);
    }
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['token']);
    expect(await gw.get('--output', '-')).toBe('token-2');
    expect(existsSync('-')).toBe(false);
  });

  test('as root replaces no file of another user’s, and goes through no link of theirs', async ({
    needs,
  }) => {
    needs('root');
    writeFileSync(file, 'theirs');
    const elsewhere = openDirectory();
    const link = join(directory, 'link');
    symlinkSync(elsewhere, link);
    const through = join(link, 'token');
    expect(await gw.get('--output', through)).toBe('');
    rmSync(through);
    for (const [path, theirs] of [
      [file, file],
      [through, link],
    ] as const) {
      lchownSync(theirs, 64_002, 64_002);
      const { code, stderr } = await gw.cli(['get', '--output', path]);
      expect(code).toBe(2);
      expect(stderr).toContain(`${theirs} belongs to another user (uid 64002); nothing was written`);
    }
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('leaves the file as it was if there is no token', async () => {
    writeFileSync(file, 'old');
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect((await gw.cli(['get', '--output', file])).code).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  test('replaces no link, device or directory, and says where the token cannot be written', async () => {
    const link = join(directory, 'link');
    symlinkSync(file, link);
    for (const path of [link, '/dev/null', directory]) {
      const { code, stdout, stderr } = await gw.cli(['get', '--output', path]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`${path} is not a regular file; nothing was written`);
    }
    writeFileSync(file, '');
    for (const [above, why] of [
      ['nowhere', 'ENOENT'],
      [file, 'ENOTDIR'],
    ] as const) {
      const path = join(resolve(directory, above), 'token');
      const { code, stderr } = await gw.cli(['get', '--output', path]);
      expect(code).toBe(1);
      expect(stderr).toContain(`error: cannot write ${path} (${why})\n`);
    }
  });

  test('takes no format for a file, as other tools do', async () => {
    const { code, stderr } = await gw.cli(['get', '--output', 'json']);
    expect(code).toBe(2);
    expect(stderr).toContain('hint: use --format json, or --output ./json');
    // As from a variable that is not set.
    expect((await gw.cli(['get', '--output', ''])).stderr).toContain('error: --output is empty\n');
    expect((await gw.cli(['exec', '--token-file', '', 'true'])).stderr).toContain(
      'error: --token-file is empty\n',
    );
    expect(gw.posts).toHaveLength(0);
  });
});

describe('exec --token-file', () => {
  /** Runs it with a command that does this. */
  const exec = async (path: string, during = (_: string) => {}) => {
    gw.own = {
      async runProgram(_, __, { env, beforeStart }) {
        beforeStart?.();
        during(env['GWTOKEN_TOKEN_FILE']!);
        return { code: 0, signal: null };
      },
    };
    return await gw.cli(['exec', '--token-file', path, '--', 'anything']);
  };

  test('keeps the token there while the command runs, also in place of a killed gwtoken', async () => {
    writeFileSync(file, 'of a killed one', { mode: 0o644 });
    const seen: string[] = [];
    const relativePath = relative('.', file);
    const { code } = await exec(relativePath, (path) => seen.push(path, readFileSync(path, 'utf8')));
    expect([code, ...seen]).toEqual([0, file, 'token-1']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('leaves another text in its place', async () => {
    await exec(file, () => writeFileSync(file, 'token-1 and more'));
    expect(readFileSync(file, 'utf8')).toBe('token-1 and more');
  });

  test('replaces no link', async () => {
    symlinkSync('elsewhere', file);
    const { code, stderr } = await exec(file, () => expect.unreachable());
    expect(code).toBe(125);
    expect(stderr).toContain(`${file} is not a regular file`);
  });
});
