import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTokenFile } from '../../../src/system/files/token-files';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

let folder: string;
beforeEach(() => {
  folder = join(openFolder(), 'cache', 'exec');
});
const create = (text = 'a token') => createTokenFile(folder, process, MACHINE, text);

describe('createTokenFile', () => {
  test('touch() marks the file as in use', () => {
    const file = create();
    utimesSync(file.path, new Date(0), new Date(0));
    const before = Date.now();
    file.touch();
    // A file's time may be behind by a tick of the kernel's clock.
    expect(statSync(file.path).mtimeMs).toBeGreaterThan(before - 100);
    expect(readFileSync(file.path, 'utf8')).toBe('a token');
  });

  test('replace() makes a directory that has vanished again', () => {
    const file = create();
    rmSync(folder, { recursive: true });
    file.touch();
    file.replace('the second');
    expect(readFileSync(file.path, 'utf8')).toBe('the second');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test.skipIf(process.platform === 'win32')(
    'refuses a directory that others can write to, and a link',
    () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      rmSync(folder, { recursive: true });
      const elsewhere = openFolder();
      symlinkSync(elsewhere, folder);
      expect(() => create()).toThrow(
        expect.objectContaining({ kind: 'local', hints: ['set GWTOKEN_CACHE_DIR to a directory you own'] }),
      );
      expect(readdirSync(elsewhere)).toEqual([]);
      folder = '/proc/none';
      expect(() => create()).toThrow('cannot create a token file in /proc/none (ENOENT)');
    },
  );

  test('leaves files of other programs alone', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'notes.txt'), '');
    utimesSync(join(folder, 'notes.txt'), new Date(0), new Date(0));
    create().remove();
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });
});
