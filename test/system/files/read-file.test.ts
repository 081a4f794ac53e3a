import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readAll, readRegular } from '../../../src/system/files/read-file';
import { openDirectory } from '../../harness/homes/directory';

let directory: string;
let file: string;
beforeEach(() => {
  directory = openDirectory();
  file = join(directory, 'file');
  writeFileSync(file, '12345', { mode: 0o600 });
});

const tooLarge = (limit: number) =>
  expect.objectContaining({ code: 'EFBIG', message: `more than ${limit} bytes` });

test('readRegular() rejects files above the limit and closes them', ({ needs }) => {
  needs('linux');
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  expect(readRegular(file, 5).bytes).toEqual(Buffer.from('12345'));
  expect(() => readRegular(file, 4)).toThrow(tooLarge(4));
  expect(open()).toBe(before);
});

test('readAll() rejects a stream above the limit', async () => {
  const chunks = async function* () {
    yield Buffer.from('ab');
    yield Buffer.from('cd');
  };
  expect(await readAll(chunks(), 4)).toEqual(Buffer.from('abcd'));
  await expect(readAll(chunks(), 3)).rejects.toEqual(tooLarge(3));
});

test('readRegular() rejects a pipe, a device and a directory at once', ({ needs }) => {
  needs('posix');
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero', directory])
    expect(() => readRegular(path, 5)).toThrow('it is not a regular file');
});
