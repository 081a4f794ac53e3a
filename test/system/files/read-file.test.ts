/** How much is read of a file or a stream, and that nothing stays open: in this process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openAppender } from '../../../src/system/files/append-file';
import { readConfig } from '../../../src/system/files/config-file';
import { fileReader, readAll, readLimited } from '../../../src/system/files/read-file';
import { readFile } from '../../../src/system/files/token-cache';
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

test('a file may have as many bytes as the limit says, and is read anew each time', () => {
  for (const read of [readLimited, fileReader()]) {
    writeFileSync(file, '12345');
    expect(Buffer.from(read(file, 5))).toEqual(Buffer.from('12345'));
    expect(() => read(file, 4)).toThrow(tooLarge(4));
    writeFileSync(file, 'ab');
    expect(Buffer.from(read(file, 5))).toEqual(Buffer.from('ab'));
  }
});

test('so may a stream, in bytes and not in characters', async () => {
  const chunks = async function* () {
    yield Buffer.from('ab');
    yield 'ä';
  };
  expect(await readAll(chunks(), 4)).toEqual(Buffer.from('abä'));
  await expect(readAll(chunks(), 3)).rejects.toEqual(tooLarge(3));
});

test.runIf(process.platform === 'linux')('whatever was read or written, nothing stays open', () => {
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  readLimited(file, 5);
  expect(() => readLimited(file, 4)).toThrow();
  expect(() => readConfig(file, MACHINE)).toThrow('must contain a JSON object');
  expect(readFile(file, MACHINE)).toEqual({ text: '12345' });
  openAppender(file, 'GITHUB_ENV')('6');
  expect(readFileSync(file, 'utf8')).toBe('12345\n6');
  expect(open()).toBe(before);
});
