/** How much is read of a file or a stream, what is no file, and that nothing stays open. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../src/system/files/config-file';
import { readAll, readLimited } from '../../../src/system/files/read-file';
import { openAppender } from '../../../src/system/files/user-file';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

let folder: string;
let file: string;
beforeEach(() => {
  folder = openFolder();
  file = join(folder, 'file');
  writeFileSync(file, '12345', { mode: 0o600 });
});

const tooLarge = (limit: number) =>
  expect.objectContaining({ code: 'EFBIG', message: `more than ${limit} bytes` });

test('a file has as many bytes as the limit says at most, and is read anew each time', () => {
  expect(Buffer.from(readLimited(file, 5))).toEqual(Buffer.from('12345'));
  expect(() => readLimited(file, 4)).toThrow(tooLarge(4));
  writeFileSync(file, 'ab');
  expect(Buffer.from(readLimited(file, 5))).toEqual(Buffer.from('ab'));
});

test('so has a stream, in bytes and not in characters', async () => {
  const chunks = async function* () {
    yield Buffer.from('ab');
    yield 'ä';
  };
  expect(await readAll(chunks(), 4)).toEqual(Buffer.from('abä'));
  await expect(readAll(chunks(), 3)).rejects.toEqual(tooLarge(3));
});

test('a pipe and a device are refused at once, and a directory by its code', ({ needs }) => {
  needs('posix');
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero'])
    expect(() => readLimited(path, 5)).toThrow('it is not a regular file');
  expect(() => readLimited(folder, 5)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
});

test('a file of /proc has the size that it says: none', ({ needs }) => {
  needs('linux');
  expect(readLimited('/proc/self/cmdline', 5)).toEqual(Buffer.alloc(0));
});

test('whatever was read or written, nothing stays open', ({ needs }) => {
  needs('linux');
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  readLimited(file, 5);
  expect(() => readLimited(file, 4)).toThrow();
  expect(() => readConfig(file, MACHINE)).toThrow('must contain a JSON object');
  openAppender(file, 'GITHUB_ENV')('6');
  expect(readFileSync(file, 'utf8')).toBe('12345\n6');
  expect(open()).toBe(before);
});
