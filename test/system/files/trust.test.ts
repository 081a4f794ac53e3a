/** One rule for whose a file is, whoever asks: the cache, the config and doctor say the same of the same folder. */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkWritable, readConfig } from '../../../src/system/files/config-file';
import { cacheFolder, type Machine } from '../../../src/system/files/paths';
import { entryPath, readEntry } from '../../../src/system/files/token-cache';
import { probeFolder } from '../../../src/system/files/trust';
import { EU } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { refusal } from '../../settings/refusal';

const own = process.geteuid?.() ?? 0;
const isRoot = process.geteuid?.() === 0;
const machine = (uid: number): Machine => ({ platform: process.platform, uid });

let folder: string;
beforeEach(() => {
  folder = join(openFolder(), 'ours');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(entryPath(folder, EU, machine(own)), 'an entry', { mode: 0o600 });
  writeFileSync(join(folder, 'config.json'), '{"region":"eu"}', { mode: 0o600 });
});

describe.skipIf(process.platform === 'win32')('a folder', () => {
  test('of the user alone is used, whatever others may read there', async () => {
    chmodSync(folder, 0o755);
    expect(readEntry(folder, EU, machine(own))).toEqual({ generation: '', text: 'an entry' });
    expect(readConfig(join(folder, 'config.json'), machine(own)).general).toEqual({ region: 'eu' });
    for (const which of ['config', 'cache'] as const)
      expect(probeFolder(which, folder, machine(own))).toEqual({
        path: folder,
        variables: ['HOME', `GWTOKEN_${which.toUpperCase()}_DIR`],
        exists: true,
        writable: true,
        untrusted: undefined,
        mode: 0o755,
      });
  });

  test('of another user keeps no token and takes no config', () => {
    const other = machine(own + 1);
    // That is said, and not that others can write to it as well.
    chmodSync(folder, 0o777);
    const text = `belongs to another user (uid ${own})`;
    expect(readEntry(folder, EU, other)).toEqual({ untrusted: `${folder} ${text}` });
    expect(probeFolder('cache', folder, other).untrusted).toEqual({ why: 'foreign', text });
    const file = join(folder, 'config.json');
    const hints = ['run gwtoken as that user, or set GWTOKEN_CONFIG_DIR to a directory you own'];
    expect(refusal(() => checkWritable(folder, other))).toEqual({
      message: `${file} ${text}; gwtoken will not write to it`,
      hints,
    });
    if (!isRoot)
      expect(refusal(() => readConfig(file, other))).toEqual({
        message: `config file ${file} ${text}`,
        hints,
      });
  });

  test('of root keeps no token of a user’s, but a config that root wrote for them is read', ({ needs }) => {
    needs('root');
    const user = machine(12_345);
    expect(readEntry(folder, EU, user)).toEqual({
      untrusted: `${folder} belongs to another user (uid 0)`,
    });
    expect(probeFolder('cache', folder, user).untrusted?.why).toBe('foreign');
    expect(readConfig(join(folder, 'config.json'), user).general).toEqual({ region: 'eu' });
    expect(probeFolder('config', folder, user).untrusted).toBeUndefined();
    expect(refusal(() => checkWritable(folder, user)).message).toContain('belongs to another user (uid 0)');
  });

  test('whose config file others can write to: it is not read, and the line that closes it is named', () => {
    const file = join(folder, 'config.json');
    for (const mode of [0o602, 0o666]) {
      chmodSync(file, mode);
      expect(refusal(() => readConfig(file, machine(own)))).toEqual({
        message: `config file ${file} is writable by other users (mode ${mode.toString(8)})`,
        hints: [`run: chmod go-w ${file}`],
      });
    }
    const spaced = join(folder, 'my config.json');
    writeFileSync(spaced, '{}');
    chmodSync(spaced, 0o666);
    expect(refusal(() => readConfig(spaced, machine(own))).hints).toEqual([`run: chmod go-w '${spaced}'`]);
  });

  test('that others can write to keeps no token, nor does such a file: the own group is no other', () => {
    const file = entryPath(folder, EU, machine(own));
    for (const [path, owner] of [
      [folder, 0o700],
      [file, 0o600],
    ] as const) {
      const closed = statSync(path).gid === own ? 0o02 : 0o22;
      for (let others = 0; others <= 0o77; others++) {
        chmodSync(path, owner | others);
        const text = `is writable by other users (mode ${(owner | others).toString(8)})`;
        const isOpen = (others & closed) !== 0;
        expect(readEntry(folder, EU, machine(own))).toEqual({
          ...(path === file && { generation: '' }),
          ...(isOpen ? { untrusted: `${path} ${text}` } : { generation: '', text: 'an entry' }),
        });
        if (path === file) continue;
        for (const which of ['config', 'cache'] as const)
          expect(probeFolder(which, folder, machine(own)).untrusted).toEqual(
            isOpen ? { why: 'open', text } : undefined,
          );
      }
      chmodSync(path, owner);
    }
  });

  test('as on Windows has neither owner nor mode, and is made something in for a try', () => {
    const windows: Machine = { platform: 'win32', uid: undefined };
    chmodSync(folder, 0o777);
    const before = readdirSync(folder);
    expect(probeFolder('cache', folder, windows)).toEqual({
      path: folder,
      variables: ['LOCALAPPDATA', 'GWTOKEN_CACHE_DIR'],
      exists: true,
      writable: true,
      untrusted: undefined,
      mode: undefined,
    });
    expect(readdirSync(folder)).toEqual(before);
    expect(readConfig(join(folder, 'config.json'), windows).general).toEqual({ region: 'eu' });
    // Root may write to it, and nobody can make anything there.
    if (process.platform === 'linux') expect(probeFolder('cache', '/proc', windows).writable).toBe(false);
  });

  test('behind a link keeps no token, but may have the config: dotfiles lie elsewhere', () => {
    const link = join(folder, '..', 'link');
    symlinkSync(folder, link);
    for (const path of [link, `${link}/`])
      expect(readEntry(cacheFolder({ GWTOKEN_CACHE_DIR: path }, 'linux')!, EU, machine(own))).toEqual({
        untrusted: `${link} is a symbolic link`,
      });
    expect(probeFolder('cache', link, machine(own)).untrusted?.why).toBe('link');
    expect(readConfig(join(link, 'config.json'), machine(own)).general).toEqual({ region: 'eu' });
    expect(probeFolder('config', link, machine(own))).toMatchObject({
      untrusted: undefined,
      mode: 0o700,
      writable: true,
    });
  });
});
