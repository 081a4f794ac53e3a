/** What killed runs leave in the temporary directory, which other users and programs have as well. */
import {
  lchownSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createTokenFile, sweepTemporaryFolder } from '../../../src/system/files/token-files';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

describe.skipIf(process.platform === 'win32')('the next exec', () => {
  let folder: string;
  beforeEach(() => {
    folder = openFolder();
    vi.stubEnv('TMPDIR', folder);
    onCleanup(() => vi.unstubAllEnvs());
  });
  const put = (name: string, ageMs: number) => {
    const path = join(folder, name);
    const since = new Date(Date.now() - ageMs);
    if (name.includes('exec')) {
      mkdirSync(path, { mode: 0o700 });
      utimesSync(path, since, since);
    } else {
      symlinkSync(folder, path);
      lutimesSync(path, since, since);
    }
    return path;
  };
  const swept = () => {
    sweepTemporaryFolder(process, MACHINE);
    return readdirSync(folder).sort();
  };
  const [OLD, NEW] = [61_000, 30_000];

  test('removes links and empty directories that have been there for a minute, and none of another name', () => {
    put('gwtoken-0123456789abcdef', OLD);
    put('gwtoken-exec-ABC123', OLD);
    const kept = ['gwtoken-fedcba9876543210', 'gwtoken-exec-abc123'];
    for (const name of kept) put(name, NEW);
    const others = [
      'gwtoken-0123456789abcde',
      'gwtoken-exec-abc1234',
      'other-exec-abc123',
      'x-gwtoken-0123456789abcdef',
    ];
    for (const name of others) put(name, OLD);
    expect(swept()).toEqual([...kept, ...others].sort());
  });

  test('leaves what else somebody has put into such a directory', () => {
    const path = put('gwtoken-exec-abc123', OLD);
    writeFileSync(join(path, 'notes.txt'), '');
    expect(swept()).toEqual(['gwtoken-exec-abc123']);
    expect(readdirSync(path)).toEqual(['notes.txt']);
  });

  test.each([
    ['ESRCH', 'removes a token file whose owner has gone', false],
    ['EPERM', 'leaves one whose owner runs for another user, such as root', true],
  ])('%s: %s', (code, _, stays) => {
    const place = put('gwtoken-exec-abc123', NEW);
    createTokenFile(place, process, MACHINE, 'a token');
    const kill = () => {
      throw Object.assign(new Error(code), { code });
    };
    sweepTemporaryFolder({ pid: process.pid, kill }, MACHINE);
    expect(readdirSync(folder)).toEqual(stays ? ['gwtoken-exec-abc123'] : []);
  });

  test('leaves what is another user’s, whoever runs it', ({ skip }) => {
    skip(MACHINE.uid !== 0, 'needs root: to give a link away');
    lchownSync(put('gwtoken-0123456789abcdef', OLD), 1234, 1234);
    expect(swept()).toEqual(['gwtoken-0123456789abcdef']);
  });
});
