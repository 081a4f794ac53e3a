/** Which directories gwtoken creates. */
import { chmodSync, existsSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../src/system/files/trust';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

let folder: string;
beforeEach(() => {
  folder = openFolder();
});

test('makeFolder creates what is missing, closed to others', () => {
  makeFolder(join(folder, 'a', 'b', 'c'), MACHINE);
  makeFolder(join(folder, 'a', 'b', 'c'), MACHINE);
  if (process.platform === 'win32') return;
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
});

test('makeFolder fails with the code of the system if a file lies in the way', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'), MACHINE)).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file', 'below'), MACHINE)).toThrow('ENOTDIR');
});

test('makeFolder does not create a HOME that is missing', () => {
  const HOME = join(folder, 'home');
  expect(() => makeFolder(join(HOME, '.cache', 'gwtoken'), { ...MACHINE, env: { HOME } })).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
  expect(existsSync(HOME)).toBe(false);
});

test('makeFolder creates nothing in a directory or behind a link of another user', ({ needs }) => {
  needs('root');
  const home = join(folder, 'home');
  mkdirSync(home);
  symlinkSync(openFolder(), join(folder, 'link'));
  for (const path of [home, join(folder, 'link')]) {
    lchownSync(path, 12_345, 12_345);
    expect(() => makeFolder(join(path, '.cache', 'gwtoken'), MACHINE)).toThrow(
      expect.objectContaining({ code: 'EUNTRUSTED', message: expect.stringContaining('(uid 12345)') }),
    );
    expect(existsSync(join(path, '.cache'))).toBe(false);
  }
  // A user may create directories in one of root's, such as /tmp.
  chmodSync(folder, 0o1777);
  makeFolder(join(folder, 'new'), { ...MACHINE, uid: 12_345 });
});
