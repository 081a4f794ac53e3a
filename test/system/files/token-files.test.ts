/** The file of `exec --token-file`: created, replaced, touched, removed, and swept after a kill. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTokenFile } from '../../../src/system/files/token-files';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

let cache: string;
beforeEach(() => {
  cache = join(openFolder(), 'cache');
});
const create = (folder = cache) => createTokenFile(folder, MACHINE, 'a token');

describe('createTokenFile', () => {
  test('gives an absolute path, and touch() marks the file as in use', () => {
    const file = create(relative('.', cache));
    expect(file.path.startsWith(`${cache}/exec-`)).toBe(true);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    utimesSync(file.path, new Date(0), new Date(0));
    const before = Date.now();
    file.touch();
    // A file's time may be behind by a tick of the kernel's clock.
    expect(statSync(file.path).mtimeMs).toBeGreaterThan(before - 100);
    expect(readFileSync(file.path, 'utf8')).toBe('a token');
  });

  test('replace() makes a directory that has vanished again', () => {
    const file = create();
    rmSync(cache, { recursive: true });
    file.touch();
    file.replace('the second');
    expect(readFileSync(file.path, 'utf8')).toBe('the second');
    expect(statSync(cache).mode & 0o777).toBe(0o700);
  });

  test('removes what killed owners left a day ago, and nothing else', () => {
    const living = create();
    const left = ['exec-0123456789abcdef', 'exec-0123456789abcdef.lx1.tmp'];
    const others = ['exec-notes.txt', 'exec-00000000000000aa'];
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    for (const name of [...left, ...others]) {
      writeFileSync(join(cache, name), '');
      utimesSync(join(cache, name), hoursAgo(25), hoursAgo(25));
    }
    utimesSync(join(cache, others[1]!), hoursAgo(23), hoursAgo(23));
    const another = create();
    another.remove();
    expect(
      readdirSync(cache)
        .map((name) => join(cache, name))
        .sort(),
    ).toEqual([living.path, ...others.map((name) => join(cache, name))].sort());
    expect(existsSync(another.path)).toBe(false);
  });

  test('refuses a directory that others can write to, a link, and one that cannot be made', ({ needs }) => {
    needs('linux');
    const refused = (folder: string, problem: string) =>
      expect(() => create(folder)).toThrow(
        expect.objectContaining({
          kind: 'local',
          message: `cannot create a token file${problem}`,
          hints: ['set GWTOKEN_CACHE_DIR to a directory you own'],
        }),
      );
    mkdirSync(cache);
    chmodSync(cache, 0o777);
    refused(cache, `: ${cache} is writable by other users (mode 777)`);
    const link = join(openFolder(), 'link');
    symlinkSync(openFolder(), link);
    refused(link, `: ${link} is a symbolic link`);
    const file = join(cache, 'file');
    writeFileSync(file, '', { mode: 0o600 });
    refused(file, ` in ${file} (EEXIST)`);
    rmSync(file);
    expect(readdirSync(cache)).toEqual([]);
  });
});
