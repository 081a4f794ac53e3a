/** How much is read of a file, a pipe or a stream, for how long, and that nothing stays open: in this process. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openAppender } from '../../../src/system/files/append-file';
import { readConfig } from '../../../src/system/files/config-file';
import { fileReader, readAll, readLimited } from '../../../src/system/files/read-file';
import { readFile } from '../../../src/system/files/token-cache';
import { onCleanup } from '../../harness/clean-up';
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

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  const makePipe = (name: string) => {
    execFileSync('mkfifo', [join(folder, name)]);
    return join(folder, name);
  };

  test('that has ended is not waited for any longer, nor is an empty file', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '');
    // The shortest of several: on a busy machine one may take its time.
    const ms = [1, 2, 3].map((round) => {
      const pipe = makePipe(`ended-${round}`);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = openSync(pipe, constants.O_WRONLY);
      writeSync(writer, 'text');
      closeSync(writer);
      const since = performance.now();
      expect(fileReader()(pipe, 100)).toEqual(Buffer.from('text'));
      expect(fileReader()(empty, 100)).toEqual(Buffer.alloc(0));
      closeSync(reader);
      return performance.now() - since;
    });
    expect(Math.min(...ms)).toBeLessThan(900);
  });

  test('may fall silent again and again, each time for as long as the limit says', () => {
    const read = fileReader(600);
    let found = '';
    // On a busy machine its writer may be silent for longer than it means to be.
    for (let tries = 0; found !== 'xxxxx' && tries < 5; tries++) {
      const pipe = makePipe(`slow-${tries}`);
      const writer = spawn('sh', [
        '-c',
        'exec >"$0"; for i in 1 2 3 4 5; do printf x; sleep 0.2; done',
        pipe,
      ]);
      onCleanup(() => writer.kill());
      try {
        found = Buffer.from(read(pipe, 100)).toString();
      } catch {}
    }
    expect(found).toBe('xxxxx');
  });
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
