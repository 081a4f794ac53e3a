/** The lock between callers in one process; lock.system.test.ts tests it between processes. */
import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { HeldLock } from '../../../src/lock';
import { tryLock, withLock } from '../../../src/system/files/lock';
import type { Host } from '../../../src/system/files/paths';
import { MACHINE } from '../../harness/homes/client';
import { openDirectory } from '../../harness/homes/directory';
import { bundle } from '../../harness/programs/bundle';
import { inherited } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';

let directory: string;
let path: string;
beforeEach(() => {
  directory = openDirectory();
  path = join(directory, 'token.lock');
});

function takeLock() {
  const lock = tryLock(path, MACHINE);
  if (!lock?.held) throw new Error('another caller holds the lock');
  return lock;
}
async function waitForHolder(limitMs: number, signal?: AbortSignal) {
  const lock = tryLock(path, MACHINE);
  if (lock?.held !== false) throw new Error('nobody holds the lock');
  return await lock.wait(limitMs, signal);
}

test('tryLock() gives the lock to one holder at a time', async () => {
  const first = takeLock();
  const waiting = [waitForHolder(20_000), waitForHolder(20_000)];
  first.release();
  expect(await Promise.all(waiting)).toEqual(['released', 'released']);
  const next = takeLock();
  // A second release must not remove the next holder's lock.
  first.release();
  expect(await waitForHolder(60)).toBe('late');
  next.release();
  expect(readdirSync(directory)).toEqual([]);
});

test('a lock is not touched after its release', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  takeLock().release();
  expect(vi.getTimerCount()).toBe(0);
});

test('a waiter waits on when the holder writes its name into a new lock', async () => {
  writeFileSync(path, '');
  const waiting = waitForHolder(300);
  writeFileSync(path, 'a holder');
  expect(await waiting).toBe('late');
});

test('a waiter gives up at its limit or when aborted, and leaves no listener', async () => {
  const { release } = takeLock();
  const since = performance.now();
  expect(await waitForHolder(300)).toBe('late');
  expect(performance.now() - since).toBeGreaterThan(290);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  for (const each of [waitForHolder(60_000, AbortSignal.abort()), waitForHolder(60_000, stop.signal)])
    expect(await Promise.race([each, sleep(10_000, 'still waiting', { ref: false })])).toBe('late');
  const { signal } = new AbortController();
  expect(await waitForHolder(60, signal)).toBe('late');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  release();
});

test('a holder that is silent for three seconds loses the lock', async () => {
  // A power cut can leave a file of NUL bytes.
  writeFileSync(path, '\0'.repeat(19));
  const since = performance.now();
  // The time of a touch is not compared with a clock.
  setTimeout(() => utimesSync(path, 0, 0), 1000);
  expect(await waitForHolder(20_000)).toBe('released');
  expect(performance.now() - since).toBeGreaterThan(3900);
  takeLock().release();
  expect(readdirSync(directory)).toEqual([]);
});

test('a waiter that is about to remove a dead lock leaves the new lock of a faster one', async () => {
  writeFileSync(path, 'dead');
  let faster: HeldLock | undefined;
  let isWaiting = false;
  const slower: Host = {
    ...MACHINE,
    // Read between the dead holder's name and the claim.
    get platform() {
      if (isWaiting && faster === undefined) {
        rmSync(path);
        faster = takeLock();
      }
      return MACHINE.platform;
    },
  };
  const lock = tryLock(path, slower);
  isWaiting = true;
  expect(lock?.held === false && (await lock.wait(20_000))).toBe('released');
  expect(faster?.isHeld()).toBe(true);
  faster?.release();
  expect(readdirSync(directory)).toEqual([]);
});

test('tryLock() returns undefined if locks do not work', async ({ needs }) => {
  needs('posix');
  mkdirSync(join(directory, 'directory'));
  execFileSync('mkfifo', [join(directory, 'fifo')]);
  symlinkSync('nowhere', join(directory, 'link'));
  for (const name of ['directory', 'fifo', 'link', 'no/where', 'x'.repeat(300)])
    expect(tryLock(join(directory, name), MACHINE), name).toBeUndefined();
  expect(await withLock(join(directory, 'directory'), MACHINE, 20_000, () => 'done')).toBe('done');
});

test('tryLock() leaves no file if it cannot write its name into the new one', async ({ needs }) => {
  needs('posix');
  const script = 'require(process.argv[1]).tryLock(process.argv[2], process)';
  const lock = await bundle(join(ROOT, 'src/system/files/lock.ts'));
  const limited = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, '-e', script, lock, path];
  execFileSync('sh', limited, { env: inherited() });
  expect(readdirSync(directory)).toEqual([]);
});

test('withLock() reports a holder that takes too long, and does not run the work', async () => {
  const { release } = takeLock();
  let ran = 0;
  const work = () => ++ran;
  await expect(withLock(path, MACHINE, 300, work)).rejects.toMatchObject({
    kind: 'local',
    message: `waited 0.3 s for another gwtoken process that holds ${path}`,
    hints: ['stop that process and try again'],
  });
  expect(ran).toBe(0);
  const waiting = withLock(path, MACHINE, 20_000, work);
  release();
  expect(await waiting).toBe(1);
});
