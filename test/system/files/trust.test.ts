/** One rule for whose a file is: the cache and the config judge the same folder alike. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import { folderOf, type Host } from '../../../src/system/files/paths';
import { entryPath, openTokens } from '../../../src/system/files/token-cache';
import { probeFolder } from '../../../src/system/files/trust';
import { EU } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { refusal } from '../../settings/refusal';

const own = process.geteuid?.() ?? 0;
/** The accounts of a machine whose user has a private group, which not every user that runs tests has. */
let etc: string;
const machine = (uid = own): Host => ({ platform: process.platform, uid, etc });
const read = (path: string, uid?: number) => openTokens(path, machine(uid)).read(EU);

let folder: string;
let file: string;
beforeEach(() => {
  etc = openFolder();
  writeFileSync(join(etc, 'passwd'), `me:x:${own}:${own}::/:/bin/sh\n`);
  writeFileSync(join(etc, 'group'), `me:x:${own}:\n`);
  folder = join(openFolder(), 'ours');
  file = join(folder, 'config.json');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(entryPath(folder, EU, machine()), 'an entry', { mode: 0o600 });
  writeFileSync(file, '{"region":"eu"}', { mode: 0o600 });
});

describe.skipIf(process.platform === 'win32')('a folder', () => {
  test('of the user alone is used, whatever others may read there', () => {
    chmodSync(folder, 0o755);
    expect(read(folder)).toEqual({ generation: '', text: 'an entry' });
    expect(readConfig(file, machine()).general).toEqual({ region: 'eu' });
  });

  test('of another user keeps no token and takes no config', async () => {
    // That is said, and not that others can write to it as well.
    chmodSync(folder, 0o777);
    const text = `belongs to another user (uid ${own})`;
    expect(read(folder, own + 1)).toEqual({ untrusted: `${folder} ${text}` });
    await expect(openConfig(folder, machine(own + 1)).config.checkWritable()).rejects.toMatchObject({
      message: `${file} ${text}; gwtoken will not write to it`,
      hints: ['run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own'],
    });
  });

  test('of root keeps no token of a user’s, but a config that root wrote for them is read', async ({
    needs,
  }) => {
    needs('root');
    expect(read(folder, 12_345)).toEqual({ untrusted: `${folder} belongs to another user (uid 0)` });
    const { config } = openConfig(folder, machine(12_345));
    expect(config.read().general).toEqual({ region: 'eu' });
    await expect(config.checkWritable()).rejects.toThrow('belongs to another user (uid 0)');
  });

  test('whose config file others can write to: it is not read, and the line that closes it is named', () => {
    const spaced = join(folder, 'my config.json');
    writeFileSync(spaced, '{}');
    for (const [path, mode, word] of [
      [file, 0o602, file],
      [spaced, 0o666, `'${spaced}'`],
    ] as const) {
      chmodSync(path, mode);
      expect(refusal(() => readConfig(path, machine()))).toEqual({
        message: `config file ${path} is writable by other users (mode ${mode.toString(8)})`,
        hints: [`run: chmod go-w ${word}`],
      });
    }
  });

  test('that others can write to keeps no token, nor does such a file: the own group is no other', () => {
    for (const [path, owner] of [
      [folder, 0o700],
      [entryPath(folder, EU, machine()), 0o600],
    ] as const) {
      const closed = statSync(path).gid === own ? 0o02 : 0o22;
      for (let others = 0; others <= 0o77; others++) {
        chmodSync(path, owner | others);
        const { untrusted } = read(folder);
        const text = `${path} is writable by other users (mode ${(owner | others).toString(8)})`;
        expect(untrusted).toBe((others & closed) === 0 ? undefined : text);
      }
      chmodSync(path, owner);
    }
  });

  test('as on Windows, where only creating something shows whether it can be written to', ({ needs }) => {
    needs('linux');
    const windows: Host = { platform: 'win32', uid: undefined };
    expect(probeFolder('cache', folder, windows).writable).toBe(true);
    // Root may write to it, and nobody can make anything there.
    expect(probeFolder('cache', '/proc', windows).writable).toBe(false);
  });

  test('behind a link keeps no token, but may have the config: dotfiles lie elsewhere', () => {
    const link = join(folder, '..', 'link');
    symlinkSync(folder, link);
    for (const path of [link, `${link}/`])
      expect(read(folderOf('cache', { GWTOKEN_CACHE_DIR: path }, 'linux')!)).toEqual({
        untrusted: `${link} is a symbolic link`,
      });
    expect(readConfig(join(link, 'config.json'), machine()).general).toEqual({ region: 'eu' });
  });
});
