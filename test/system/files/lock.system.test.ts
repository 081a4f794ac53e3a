/** What takes the lock seconds: a holder that is frozen, slow, far away, or none. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { tryLock } from '../../../src/system/files/lock';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { lockers, startWaiting } from './lockers';

const start = await lockers();
let folder: string;
beforeEach(() => {
  folder = openFolder();
});
const locks = () => join(folder, '.locks');
const isWindows = process.platform === 'win32';

test.skipIf(isWindows)(
  'a frozen holder is passed over after three seconds by one of the waiters',
  async () => {
    const frozen = start(folder);
    await frozen.line();
    frozen.child.kill('SIGSTOP');
    const since = performance.now();
    const waiting = await startWaiting(10, () => start(folder, { again: true }));
    const next = waiting.map(async ({ line }) => {
      expect(await line()).toBe('got ""');
      return await line();
    });
    expect((await Promise.all(next)).sort()).toEqual(['held', ...Array(9).fill('waiting')]);
    expect(performance.now() - since).toBeGreaterThan(2000);
    // Awake again and at its end, it takes nothing away from its successor.
    frozen.child.kill('SIGCONT');
    expect(await frozen.end()).toEqual([0, null]);
    expect(await start(folder).line()).toBe('waiting');
  },
);

test.skipIf(isWindows)(
  'a holder that was frozen before it was killed leaves the lock to the others',
  async () => {
    const frozen = start(folder);
    await frozen.line();
    frozen.child.kill('SIGSTOP');
    const lock = tryLock(folder, 'token', { ...MACHINE, proc: process });
    if (lock?.held !== false) throw new Error('the lock is free');
    const waits = lock.wait(60_000);
    await sleep(1500);
    await frozen.kill();
    expect(await waits).toMatchObject({ end: 'released' });
  },
);

test('a slow holder keeps the lock however long it takes', async () => {
  const holder = start(folder, { leave: 'late, but there' });
  await holder.line();
  const [waiter] = await startWaiting(1, () => start(folder));
  const line = waiter!.line();
  expect(await Promise.race([line, sleep(6000, 'still waiting')])).toBe('still waiting');
  await holder.end();
  expect(await line).toBe('got "late, but there"');
});

test.skipIf(isWindows)('whatever lies in the place of a lock is taken for a frozen holder', async () => {
  const put = [
    (path: string) => writeFileSync(path, ''),
    (path: string) => execFileSync('mkfifo', [path]),
    (path: string) => symlinkSync('0'.repeat(32), path),
  ];
  const takenOver = put.map(async (make, index) => {
    mkdirSync(locks(), { recursive: true, mode: 0o700 });
    make(join(locks(), `${index}.lock`));
    for (let rounds = 0; rounds < 10; rounds++) {
      const turn = await tryLock(folder, String(index), MACHINE);
      if (turn?.held) return turn.release();
      await turn?.wait(60_000);
    }
    throw new Error('nobody could take the lock');
  });
  await Promise.all(takenOver);
});

test('a dead holder in another PID namespace is passed over after three seconds', async ({ needs }) => {
  const elsewhere = ['unshare', '-rpf', '--mount-proc', '--kill-child'];
  const { status } = spawnSync(elsewhere[0]!, [...elsewhere.slice(1), 'true']);
  needs(status === 0 ? undefined : 'needs root on Linux with a PID namespace of its own');
  const holder = start(folder, { wrapper: elsewhere });
  expect(await holder.line()).toBe('held');
  const [waiter] = await startWaiting(1, () => start(folder));
  const line = waiter!.line();
  // It lives, although no process here has its ID, or another one.
  expect(await Promise.race([line, sleep(5000, 'still waiting')])).toBe('still waiting');
  await holder.kill();
  expect(await line).toBe('got ""');
});
test('what killed and failed holders left is removed an hour later, what is younger stays', async () => {
  const holder = start(folder, { leave: 'a failure' });
  await holder.line();
  await startWaiting(1, () => start(folder));
  await holder.end();
  const killed = start(folder);
  await killed.line();
  await killed.kill();
  // Of one that was killed while it made the salt.
  mkdirSync(join(locks(), 'salt-unfinished'));
  const left = readdirSync(locks());
  const then = new Date(Date.now() - 3_600_000);
  const takeAnother = async () => {
    const turn = await tryLock(folder, 'another', MACHINE);
    if (turn?.held) turn.release();
    return readdirSync(locks());
  };
  expect(await takeAnother()).toEqual(left);
  for (const name of left) utimesSync(join(locks(), name), then, then);
  expect(await takeAnother()).toEqual([]);
});
