/** Files of `get --output` and `exec --token-file`: modes, links, owners. See also test/sessions/text/get-output.txt. */
import { chownSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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
  test('replaces a file by one that only the user can read', async ({ needs }) => {
    needs('posix');
    writeFileSync(file, 'old', { mode: 0o644 });
    expect(await gw.get('--output', file)).toBe('');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('does not replace another user’s file, even as root', async ({ needs }) => {
    needs('root');
    writeFileSync(file, 'theirs');
    chownSync(file, 64_002, 64_002);
    const { code, stderr } = await gw.cli(['get', '--output', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${file} belongs to another user (uid 64002); nothing was written`);
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  test('neither replaces a link nor writes its target', async () => {
    const link = join(directory, 'link');
    symlinkSync(file, link);
    const { code, stdout, stderr } = await gw.cli(['get', '--output', link]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${link} is not a regular file; nothing was written`);
    expect(readdirSync(directory)).toEqual(['link']);
  });
});

test('env --output writes a file that only the user can read, and prints nothing', async ({ needs }) => {
  needs('posix');
  writeFileSync(file, 'OLD=1', { mode: 0o644 });
  const argv = ['env', '--format', 'dotenv', '--variable', 'API_TOKEN', '--output', file];
  expect(await gw.cli(argv)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe('API_TOKEN=token-1\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe('exec --token-file', () => {
  /** Runs `exec --token-file` with a command that calls `during` with its GWTOKEN_TOKEN_FILE. */
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

  test('refuses a file that is not private, such as one of the user’s own', async ({ needs }) => {
    needs('posix');
    writeFileSync(file, 'notes', { mode: 0o644 });
    const { code, stderr } = await exec(file, () => expect.unreachable());
    expect(code).toBe(125);
    expect(stderr).toContain(`${file} has mode 644, and a token file has mode 600; nothing was written`);
    expect(readFileSync(file, 'utf8')).toBe('notes');
  });

  test('replaces a leftover file, and removes its own after the command', async () => {
    writeFileSync(file, 'of a killed one', { mode: 0o600 });
    const seen: string[] = [];
    const relativePath = relative('.', file);
    const { code } = await exec(relativePath, (path) => seen.push(path, readFileSync(path, 'utf8')));
    expect([code, ...seen]).toEqual([0, file, 'token-1']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('does not remove a file whose content was changed', async () => {
    await exec(file, () => writeFileSync(file, 'token-1 and more'));
    expect(readFileSync(file, 'utf8')).toBe('token-1 and more');
  });
});
