/** One rule for whose a file is, whoever asks: the cache, the config and doctor say the same of the same folder. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/system/files/config-file';
import { checkWritable } from '../../../src/system/files/config-store';
import { probeFolder } from '../../../src/system/files/folders';
import type { Machine } from '../../../src/system/files/paths';
import { entryPath, readEntry } from '../../../src/system/files/token-cache';
import { EU } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

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

test.skipIf(process.platform === 'win32')(
  'a pipe in the place of a file that is read is waited for by nobody',
  () => {
    for (const file of [join(folder, 'config.json'), entryPath(folder, EU, machine(own))]) {
      rmSync(file);
      execFileSync('mkfifo', ['-m', '600', file]);
    }
    expect(problem(() => readConfig(join(folder, 'config.json'), machine(own)))).toMatch(
      /config\.json is not a file$/,
    );
    expect(readEntry(folder, EU, machine(own)).text).toBeUndefined();
  },
);

const problem = (work: () => unknown): string => {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

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
    const text = `belongs to another user (uid ${own})`;
    expect(readEntry(folder, EU, other)).toEqual({ untrusted: `${folder} ${text}` });
    expect(probeFolder('cache', folder, other).untrusted).toEqual({ why: 'foreign', text });
    expect(problem(() => checkWritable(folder, other))).toBe(
      `${join(folder, 'config.json')} ${text}: gwtoken writes no config that it does not own`,
    );
  });

  test('of root keeps no token of a user’s, but a config that root wrote for them is read', ({ skip }) => {
    skip(!isRoot, 'needs root: to have a folder of root');
    const user = machine(12_345);
    expect(readEntry(folder, EU, user)).toEqual({
      untrusted: `${folder} belongs to another user (uid 0)`,
    });
    expect(probeFolder('cache', folder, user).untrusted?.why).toBe('foreign');
    expect(readConfig(join(folder, 'config.json'), user).general).toEqual({ region: 'eu' });
    expect(probeFolder('config', folder, user).untrusted).toBeUndefined();
    expect(problem(() => checkWritable(folder, user))).toContain('belongs to another user (uid 0)');
  });

  test('that others can write to keeps no token', () => {
    chmodSync(folder, 0o720);
    const text = 'can be written by others (mode 720)';
    expect(readEntry(folder, EU, machine(own))).toEqual({ untrusted: `${folder} ${text}` });
    for (const which of ['config', 'cache'] as const)
      expect(probeFolder(which, folder, machine(own)).untrusted).toEqual({ why: 'open', text });
  });

  test('behind a link keeps no token, but may have the config: dotfiles lie elsewhere', () => {
    const link = join(folder, '..', 'link');
    symlinkSync(folder, link);
    expect(readEntry(link, EU, machine(own))).toEqual({ untrusted: `${link} is a symbolic link` });
    expect(probeFolder('cache', link, machine(own)).untrusted?.why).toBe('link');
    expect(readConfig(join(link, 'config.json'), machine(own)).general).toEqual({ region: 'eu' });
    expect(probeFolder('config', link, machine(own))).toMatchObject({
      untrusted: undefined,
      mode: 0o700,
      writable: true,
    });
  });
});
