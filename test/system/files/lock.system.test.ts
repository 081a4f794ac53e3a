/** What takes the lock seconds: a holder that is dead, frozen or slow. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { openFolder } from '../../harness/homes/folder';
import { lockers, startWaiting } from './lockers';

const start = await lockers();
let [folder, path]: string[] = [];
beforeEach(() => {
  folder = openFolder();
  path = join(folder, 'token.lock');
});
const MINUTE_S = 60;

test.skipIf(process.platform === 'win32').each(['SIGKILL', 'SIGSTOP'] as const)(
  'after %s one of the waiters takes the holder’s place, three seconds later',
  async (signal) => {
    const holder = start(path!);
    await holder.line();
    const waiting = await startWaiting(20, () => start(path!));
    const since = performance.now();
    holder.child.kill(signal);
    const next = waiting.map(async ({ line }) => {
      expect(await line()).toBe('released');
      return await line();
    });
    expect((await Promise.all(next)).sort()).toEqual(['held', ...Array(19).fill('waiting')]);
    expect(performance.now() - since).toBeGreaterThan(2400);
    expect(performance.now() - since).toBeLessThan(5000);
    // Awake again and at its end, it takes nothing away from its successor.
    if (signal === 'SIGSTOP') {
      holder.child.kill('SIGCONT');
      expect(await holder.end()).toEqual([0, null]);
    }
    expect(await start(path!).line()).toBe('waiting');
    await Promise.all(waiting.map(({ kill }) => kill()));
    expect(readdirSync(folder!)).toEqual(['token.lock']);
  },
);

test('a slow holder keeps the lock however long it takes, whatever a clock says', async () => {
  const holder = start(path!);
  await holder.line();
  const [waiter] = await startWaiting(1, () => start(path!));
  const line = waiter!.line();
  for (const offset of [-MINUTE_S, MINUTE_S]) {
    const then = Date.now() / 1000 + offset;
    utimesSync(path!, then, then);
    expect(await Promise.race([line, sleep(3500, 'still waiting')])).toBe('still waiting');
  }
  await holder.end();
  expect(await line).toBe('released');
});

test('a waiter that was killed while it removed a dead holder’s lock keeps nobody out', async () => {
  const holder = start(path!);
  await holder.line();
  await holder.kill();
  writeFileSync(`${path}.${readFileSync(path!, 'utf8')}`, '');
  const [waiter] = await startWaiting(1, () => start(path!));
  expect(await waiter!.line()).toBe('released');
  expect(await waiter!.line()).toBe('held');
  expect(readdirSync(folder!)).toEqual(['token.lock']);
});
