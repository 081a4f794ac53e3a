/** What killed runs leave in the temporary directory, which other users and programs have as well. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lchownSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createTokenFile,
  sweepTemporaryFolder,
  sweepTokenFiles,
} from '../../../src/system/files/token-files';
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

  test('goes on after what it cannot look into', () => {
    // A file in the place of such a directory.
    writeFileSync(join(folder, 'gwtoken-exec-abc123'), '');
    put('gwtoken-exec-def456', OLD);
    expect(swept()).toEqual(['gwtoken-exec-abc123']);
  });

  test('as on Windows goes by no owner', () => {
    put('gwtoken-exec-abc123', OLD);
    sweepTemporaryFolder(process, { platform: 'win32', uid: undefined });
    expect(readdirSync(folder)).toEqual([]);
  });

  describe('in the directory of token files', () => {
    const gone = {
      pid: 999_999_999,
      kill() {
        throw Object.assign(new Error('ESRCH'), { code: 'ESRCH' });
      },
    };
    const exec = () => join(folder, 'exec');
    const create = (own: Pick<NodeJS.Process, 'pid' | 'kill'>, machine = MACHINE) =>
      basename(createTokenFile(exec(), own, machine, 'a token').path);

    test('finds what a process has left, half written as well, and nothing else', () => {
      const left = create(gone);
      // What is no file stays, and is no reason to stop.
      const inTheWay = left.replace(/.{16}$/, '0'.repeat(16));
      mkdirSync(join(exec(), inTheWay));
      const others = [`my-${left}`, `${left}.txt`, `${left}.abc.tmp.txt`];
      for (const name of [`${left}.abc.tmp`, ...others]) writeFileSync(join(exec(), name), '');
      sweepTokenFiles(exec(), gone, MACHINE);
      expect(readdirSync(exec()).sort()).toEqual([inTheWay, ...others].sort());
    });

    test('removes nothing where others can write', () => {
      const left = create(gone);
      chmodSync(exec(), 0o777);
      sweepTokenFiles(exec(), gone, MACHINE);
      expect(readdirSync(exec())).toEqual([left]);
    });

    test('finds whose a file is in its name: the machine, on Linux its boot and PID namespace, the process and its start', () => {
      const hash = (...parts: string[]) =>
        createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8);
      const start = process.platform === 'linux' ? '[1-9]\\d*' : '0';
      const named = (place: string, pid: number, since: string) =>
        expect.stringMatching(new RegExp(`^token-${place}-${pid}-${since}-[0-9a-f]{16}$`));
      const elsewhere = { ...MACHINE, platform: 'darwin' } as const;
      expect(create(process, elsewhere)).toEqual(named(hash(hostname()), process.pid, start));
      expect(create(gone, elsewhere)).toEqual(named(hash(hostname()), gone.pid, '0'));
      if (process.platform !== 'linux') return;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
      const namespace = readlinkSync('/proc/self/ns/pid');
      expect(create(process)).toEqual(named(hash(hostname(), boot, namespace), process.pid, start));
    });
  });

  test('is told where no directory can be made, by the code of the system', () => {
    symlinkSync('loop', join(folder, 'loop'));
    const wanted = join(folder, 'loop', 'cache', 'exec');
    expect(() => createTokenFile(wanted, process, MACHINE, 'a token')).toThrow(
      expect.objectContaining({
        kind: 'local',
        message: `cannot create a token file in ${wanted} (ELOOP)`,
        hints: ['set GWTOKEN_CACHE_DIR to a directory you own'],
      }),
    );
  });

  test('leaves what is another user’s, whoever runs it', ({ skip }) => {
    skip(MACHINE.uid !== 0, 'needs root: to give a link away');
    lchownSync(put('gwtoken-0123456789abcdef', OLD), 1234, 1234);
    expect(swept()).toEqual(['gwtoken-0123456789abcdef']);
  });
});
