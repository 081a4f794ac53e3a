import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/system/files/config-file';
import { replaceFile, whileHeld } from '../../../src/system/files/replace';
import { openFolder } from '../../harness/homes/folder';

/** Wine holds no file against a reader, so what Windows would say is said here. */
describe('a file that another program has open', () => {
  const held = (code: string, times: number) => {
    const work = {
      tries: 0,
      run: () => {
        if (++work.tries <= times) throw Object.assign(new Error(code), { code });
        return 'read';
      },
    };
    return work;
  };
  const windows = { platform: 'win32' } as const;

  test.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again on Windows while it says %s', (code) => {
    const work = held(code, 3);
    expect(whileHeld(work.run, 5_000, windows)).toBe('read');
    expect(work.tries).toBe(4);
  });

  test.each([
    ['ENOENT', 'win32'],
    ['EACCES', 'linux'],
    ['EBUSY', 'darwin'],
  ] as const)('is not waited for: %s on %s', (code, platform) => {
    const work = held(code, 1);
    expect(() => whileHeld(work.run, 5_000, { platform })).toThrow(code);
    expect(work.tries).toBe(1);
  });

  test('is waited for by who reads the config, and longer by who replaces a file, which leaves nothing', ({
    needs,
  }) => {
    needs('root');
    const folder = openFolder();
    const file = join(folder, 'config.json');
    writeFileSync(file, '{}', { mode: 0o600 });
    // There everybody can make files, and nobody else can remove this one.
    chmodSync(folder, 0o1777);
    const msUntil = (work: () => unknown, failure: string) => {
      const since = performance.now();
      expect(work).toThrow(failure);
      return performance.now() - since;
    };
    const as = { ...windows, uid: undefined };
    process.seteuid?.(12_345);
    try {
      expect(msUntil(() => readConfig(file, as), 'cannot be read (EACCES)')).toBeGreaterThan(99);
      expect(msUntil(() => replaceFile(file, 'new', as), 'EPERM')).toBeGreaterThan(499);
    } finally {
      process.seteuid?.(0);
    }
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});
