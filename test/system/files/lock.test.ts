/** What a lock promises to those who use it: between real processes if it is about processes. */
import { getEventListeners } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { tryLock, withLock } from '../../../src/system/files/lock';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { lockers, startWaiting } from './lockers';

const start = await lockers();
let folder: string;
beforeEach(() => {
  folder = openFolder();
});
const locks = () => join(folder, '.locks');

const take = async (name = 'token', machine = MACHINE) => {
  const lock = await tryLock(folder, name, machine);
  if (!lock?.held) throw new Error('there should be nobody who holds the lock');
  return lock;
};
const joinWaiters = async () => {
  const lock = await tryLock(folder, 'token', MACHINE);
  if (lock?.held !== false) throw new Error('there should be a holder to wait for');
  return lock;
};

describe('a lock', () => {
  test('is held by one process; the others get its text, and the next can have it', async () => {
    const holder = start(folder, { leave: 'a text.\nin grün' });
    expect(await holder.line()).toBe('held');
    const waiting = await startWaiting(2, () => start(folder));
    expect(await holder.end()).toEqual([0, null]);
    for (const { line } of waiting) expect(await line()).toBe('got "a text.\\nin grün"');
    expect(await start(folder).line()).toBe('held');
  });

  test('is free within a second of its holder’s death, for one of those who wait', async () => {
    const holder = start(folder);
    expect(await holder.line()).toBe('held');
    const waiting = await startWaiting(3, () => start(folder, { again: true }));
    await holder.kill();
    const since = performance.now();
    const next = waiting.map(async ({ line }) => {
      expect(await line()).toBe('got ""');
      return await line();
    });
    expect((await Promise.all(next)).sort()).toEqual(['held', 'waiting', 'waiting']);
    // Half of it is for a busy machine.
    expect(performance.now() - since).toBeLessThan(2000);
  });

  test('leaves a text of at most 4096 characters, and nothing else', async () => {
    for (const [length, got] of [
      [4096, 4096],
      [4097, 0],
    ] as const) {
      const holder = await take();
      const waiting = (await joinWaiters()).wait(20_000);
      holder.release('x'.repeat(length));
      expect((await waiting).text.length).toBe(got);
    }
    (await take('another')).release();
    expect(readdirSync(locks()).filter((name) => !name.endsWith('.result'))).toEqual([]);
  });
});

describe('a waiter', () => {
  test('gives up at its limit or when aborted, and leaves no timer or listener', async () => {
    await start(folder).line();
    const wait = async (limitMs: number, signal?: AbortSignal) =>
      (await (await joinWaiters()).wait(limitMs, signal)).end;
    const since = performance.now();
    expect(await wait(300)).toBe('late');
    expect(performance.now() - since).toBeGreaterThan(290);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const aborted = [wait(60_000, AbortSignal.abort()), wait(60_000, stop.signal)];
    for (const each of aborted)
      expect(await Promise.race([each, sleep(10_000, 'still waiting', { ref: false })])).toBe('late');
    const { signal } = new AbortController();
    expect(await wait(60, signal)).toBe('late');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThan(10);
  });
});

describe('a lock that stays', () => {
  const DEAD = '1 - 999999999 -';
  const end = async () => (await (await joinWaiters()).wait(60_000)).end;

  test('since a folder is in its place is done without', async () => {
    mkdirSync(join(locks(), 'token.lock'), { recursive: true });
    const since = performance.now();
    expect(await withLock(folder, 'token', MACHINE, 60_000, () => 'done')).toBe('done');
    expect(performance.now() - since).toBeLessThan(8000);
  });

  test('although its holder is dead is done without', async () => {
    mkdirSync(locks(), { recursive: true });
    // A lock that names another's result, which is a folder, cannot be ended.
    mkdirSync(join(locks(), '1.result'));
    writeFileSync(join(locks(), 'token.lock'), DEAD);
    expect(await end()).toBe('without');
  });

  test('is renamed to its own result if no text can be left', async () => {
    const holder = await take();
    const [id] = readFileSync(join(locks(), 'token.lock'), 'utf8').split(' ');
    const waits = end();
    // As on a full disk: the result cannot be written, and a name can be changed.
    holder.release({ toString: () => '' } as unknown as string);
    expect([await waits, readdirSync(locks())]).toEqual(['without', [`${id}.result`]]);
  });
});

test('the time before the holder starts its clock does not count against who waits', async () => {
  const holder = await take();
  const waits = (await joinWaiters()).wait(300);
  await sleep(600);
  holder.startClock();
  const { end, countedMs } = await waits;
  expect(end).toBe('late');
  expect(countedMs).toBeGreaterThanOrEqual(300);
  holder.release();
});

describe('work under a lock', () => {
  test('waits for the holder, and fails with a sentence if that takes too long', async () => {
    const holder = start(folder);
    expect(await holder.line()).toBe('held');
    let ran = 0;
    const work = () => ++ran;
    await expect(withLock(folder, 'token', MACHINE, 300, work)).rejects.toMatchObject({
      kind: 'local',
      message: `waited 0.3 s for another gwtoken process that is writing to ${folder}`,
      hints: ['stop that process and try again'],
    });
    expect(ran).toBe(0);
    const waiting = withLock(folder, 'token', MACHINE, 20_000, work);
    await holder.end();
    expect(await waiting).toBe(1);
  });

  test('is done one after the other, and the lock is released if it fails', async () => {
    let running = 0;
    const work = async () => {
      expect(++running).toBe(1);
      await sleep(5);
      running -= 1;
      throw new Error('done');
    };
    const all = Array.from({ length: 5 }, () => withLock(folder, 'token', MACHINE, 20_000, work));
    for (const each of await Promise.allSettled(all))
      expect(each).toMatchObject({ reason: { message: 'done' } });
  });

  test('is done without a lock if there can be none', async () => {
    const nowhere = join(folder, 'nowhere');
    expect(await tryLock(nowhere, 'token', MACHINE)).toBeUndefined();
    expect(await tryLock(folder, 'x'.repeat(300), MACHINE)).toBeUndefined();
    expect(await withLock(nowhere, 'token', MACHINE, 20_000, () => 'done')).toBe('done');
  });
});

describe.skipIf(process.platform === 'win32')('the directory of the locks', () => {
  test.each([0o01, 0o04, 0o10, 0o40, 0o55])('with mode 7%s is closed to other users', async (others) => {
    mkdirSync(locks());
    chmodSync(locks(), 0o700 | others);
    const { release } = await take();
    expect((statSync(locks()).mode & 0o777).toString(8)).toBe('700');
    release();
  });

  test.each([
    ['a file', () => writeFileSync(locks(), '')],
    ['a link', () => symlinkSync(openFolder(), locks())],
    ['a directory that others can write to', () => mkdirSync(locks())],
  ])('is not used if it is %s', async (_, put) => {
    const umask = process.umask(0);
    try {
      put();
    } finally {
      process.umask(umask);
    }
    expect(await tryLock(folder, 'token', MACHINE)).toBeUndefined();
  });

  test('is not used if it is another user’s', async ({ needs }) => {
    needs('root');
    mkdirSync(locks(), { mode: 0o700 });
    chownSync(locks(), 12_345, 12_345);
    expect(await tryLock(folder, 'token', MACHINE)).toBeUndefined();
  });
});
