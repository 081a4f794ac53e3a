/** The lock between real processes, with a holder that is dead, suspended or slow. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { tryLock } from '../../../src/system/files/lock';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openDirectory } from '../../harness/homes/directory';
import { bundle } from '../../harness/programs/bundle';
import { inherited } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';

const program = await bundle(join(import.meta.dirname, 'lock-child.ts'));

/** Starts a process that takes the lock, or waits for it and tries again. */
function start(path: string) {
  const child = spawn(process.execPath, [program, path], {
    env: inherited(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onCleanup(kill);
  return {
    child,
    kill,
    line: async (): Promise<string> => (await lines.next()).value,
    /** Releases the lock; resolves with the exit code and the signal. */
    async end(): Promise<unknown> {
      child.stdin.end();
      return await ended;
    },
  };
}

/** Starts this many processes that wait for the holder. */
async function startWaiting(count: number) {
  const waiting = Array.from({ length: count }, () => start(path));
  for (const { line } of waiting) expect(await line()).toBe('waiting');
  return waiting;
}

let directory: string;
let path: string;
beforeEach(() => {
  directory = openDirectory();
  path = join(directory, 'token.lock');
});
const MINUTE_S = 60;

test.for(['SIGKILL', 'SIGSTOP'] as const)(
  'one of five waiters takes the lock some 3 s after %s of its holder',
  async (signal, { needs }) => {
    needs('posix');
    const holder = start(path);
    await holder.line();
    const waiting = await startWaiting(5);
    const since = performance.now();
    holder.child.kill(signal);
    const next = waiting.map(async ({ line }) => {
      expect(await line()).toBe('released');
      return await line();
    });
    expect((await Promise.all(next)).sort()).toEqual(['held', ...Array(4).fill('waiting')]);
    // Not a full 3 s, because the last touch can be older than the signal.
    expect(performance.now() - since).toBeGreaterThan(1500);
    // A holder that resumes and ends leaves the new holder's lock alone.
    if (signal === 'SIGSTOP') {
      holder.child.kill('SIGCONT');
      expect(await holder.end()).toEqual([0, null]);
    }
    expect(await start(path).line()).toBe('waiting');
    await Promise.all(waiting.map(({ kill }) => kill()));
    expect(readdirSync(directory)).toEqual(['token.lock']);
  },
);

test('a slow holder keeps the lock, even if the clock is set', async () => {
  const holder = start(path);
  await holder.line();
  const [waiter] = await startWaiting(1);
  const line = waiter!.line();
  for (const offset of [-MINUTE_S, MINUTE_S]) {
    const then = Date.now() / 1000 + offset;
    utimesSync(path, then, then);
    expect(await Promise.race([line, sleep(3500, 'still waiting')])).toBe('still waiting');
  }
  await holder.end();
  expect(await line).toBe('released');
});

test('a waiter that was killed while it removed a dead lock blocks no other', async () => {
  const holder = start(path);
  await holder.line();
  await holder.kill();
  writeFileSync(`${path}.claim`, '');
  const [waiter] = await startWaiting(1);
  expect(await waiter!.line()).toBe('released');
  expect(await waiter!.line()).toBe('held');
  expect(readdirSync(directory)).toEqual(['token.lock']);
});

test('a waiter leaves a dead lock to another waiter that has the claim', async () => {
  writeFileSync(path, 'dead');
  const claim = `${path}.claim`;
  writeFileSync(claim, '');
  // The claim stays new, as if the other waiter were about to remove the lock.
  const renewal = setInterval(() => utimesSync(claim, new Date(), new Date()), 100);
  onCleanup(() => clearInterval(renewal));
  const lock = tryLock(path, MACHINE);
  expect(lock?.held === false && (await lock.wait(20_000))).toBe('released');
  expect(readFileSync(path, 'utf8')).toBe('dead');
  expect(readdirSync(directory)).toEqual(['token.lock', 'token.lock.claim']);
});

test('a waiter gives up on a dead lock that cannot be removed', async () => {
  writeFileSync(path, 'dead');
  // A directory in the claim's place prevents the removal.
  mkdirSync(`${path}.claim`);
  const lock = tryLock(path, MACHINE);
  expect(lock?.held === false && (await lock.wait(20_000))).toBe('released');
});

test('a process that cannot open files does not remove a lock', async ({ needs }) => {
  needs('posix');
  writeFileSync(path, 'another');
  const script = `const { tryLock } = require(process.argv[1]);
    try { for (;;) require('node:fs').openSync('/dev/null'); } catch {}
    tryLock(process.argv[2], { platform: process.platform });`;
  const lock = await bundle(join(ROOT, 'src/system/files/lock.ts'));
  const limited = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '-e', script, lock, path];
  execFileSync('sh', limited, { env: inherited() });
  expect(readFileSync(path, 'utf8')).toBe('another');
});
