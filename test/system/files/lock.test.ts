import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tryLock } from '../../../src/system/files/lock';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { bundle } from '../../harness/programs/bundle';
import { nodeBinary } from '../../harness/programs/node-versions';
import { inherited } from '../../harness/programs/program';

/** The lock between real processes; where sockets are files (macOS), exercised here by naming that platform. */
const program = await bundle(join(import.meta.dirname, 'lock-child.ts'));
let folder: string;
beforeEach(() => {
  folder = openFolder();
});

interface Locker {
  readonly child: ChildProcess;
  /** Its next line. */
  line(): Promise<string>;
}

function start({
  platform = process.platform,
  leave = '',
  waitMs = 20_000,
  node = process.execPath,
} = {}): Locker {
  const child = spawn(node, [program, folder, platform, leave, String(waitMs)], {
    env: inherited(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onCleanup(() => kill(child));
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  return {
    child,
    async line() {
      while (!text.includes('\n')) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error('the locker has ended');
        await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
      }
      const [first = '', ...rest] = text.split('\n');
      text = rest.join('\n');
      return first;
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const platforms: NodeJS.Platform[] = process.platform === 'linux' ? ['linux', 'darwin'] : [process.platform];

describe.each(platforms)('a lock as on %s', (platform) => {
  test('is held by one; those who wait get what it leaves, and the next can have it', async () => {
    const holder = start({ platform, leave: 'a text\nof two lines' });
    expect(await holder.line()).toBe('held');
    const waiting = [start({ platform }), start({ platform })];
    for (const { line } of waiting) expect(await line()).toBe('waiting');
    holder.child.stdin?.end();
    for (const { line } of waiting) expect(await line()).toBe('got "a text\\nof two lines"');
    const next = start({ platform });
    expect(await next.line()).toBe('held');
  });

  test('is free at once when its holder is killed, also for those who wait', async () => {
    const holder = start({ platform });
    expect(await holder.line()).toBe('held');
    const waiter = start({ platform });
    expect(await waiter.line()).toBe('waiting');
    await kill(holder.child);
    expect(await waiter.line()).toBe('got ""');
    expect(await start({ platform }).line()).toBe('held');
  });

  test('is held by one of many that come after a holder was killed', async () => {
    const holder = start({ platform });
    await holder.line();
    await kill(holder.child);
    const many = Array.from({ length: 20 }, () => start({ platform }));
    const lines = await Promise.all(many.map(({ line }) => line()));
    expect(lines.filter((line) => line === 'held').length).toBe(1);
    expect(lines.filter((line) => line === 'waiting').length).toBe(19);
  });

  test.skipIf(process.platform === 'win32')('a frozen waiter does not keep the holder', async () => {
    const holder = start({ platform, leave: 'x'.repeat(100_000) });
    await holder.line();
    const waiter = start({ platform });
    await waiter.line();
    waiter.child.kill('SIGSTOP');
    const ended = once(holder.child, 'exit');
    holder.child.stdin?.end();
    expect(await ended).toEqual([0, null]);
    expect(await start({ platform }).line()).toBe('held');
  });

  test.skipIf(process.platform === 'win32')(
    'a frozen holder delays the others by their own limit',
    async () => {
      const holder = start({ platform });
      await holder.line();
      holder.child.kill('SIGSTOP');
      const waiter = start({ platform, waitMs: 700 });
      expect(await waiter.line()).toBe('waiting');
      const since = performance.now();
      expect(await waiter.line()).toBe('got "late"');
      expect(performance.now() - since).toBeGreaterThan(600);
      const ended = once(waiter.child, 'exit');
      await ended;
    },
  );

  test('each folder and each name has its own', async () => {
    const machine = { ...MACHINE, platform };
    const other = openFolder();
    const turns = await Promise.all([
      tryLock(folder, 'token', machine),
      tryLock(folder, 'config', machine),
      tryLock(other, 'token', machine),
    ]);
    expect(turns.map((turn) => turn?.held)).toEqual([true, true, true]);
    for (const turn of turns) if (turn?.held) turn.release();
  });

  test('there is none where none can be: the caller goes on without', async () => {
    expect(await tryLock(join(folder, 'nowhere'), 'token', { ...MACHINE, platform })).toBeUndefined();
  });
});

test.skipIf(process.platform !== 'linux')(
  'a long path to the folder does not matter where sockets are files',
  async () => {
    folder = join(folder, 'x'.repeat(120));
    mkdirSync(folder);
    const holder = start({ platform: 'darwin' });
    expect(await holder.line()).toBe('held');
    expect(await start({ platform: 'darwin' }).line()).toBe('waiting');
    expect(readdirSync(folder)).toEqual(['.lock-id']);
  },
);

describe('the id that keeps strangers from squatting an abstract name', () => {
  test.skipIf(process.platform === 'win32')(
    'is random, for the user alone, and one for all who come at once',
    async () => {
      const lockers = Array.from({ length: 10 }, () => start());
      const lines = await Promise.all(lockers.map(({ line }) => line()));
      expect(lines.filter((line) => line === 'held').length).toBe(1);
      expect(readFileSync(join(folder, '.lock-id'), 'latin1')).toMatch(/^[0-9a-f]{32}$/);
      expect(readdirSync(folder)).toEqual(['.lock-id']);
    },
  );

  test.each(['', 'torn', '0'.repeat(31)])(
    'is made anew when it was lost in a crash (%j)',
    async (content) => {
      writeFileSync(join(folder, '.lock-id'), content);
      expect(await start().line()).toBe('held');
      expect(await start().line()).toBe('waiting');
      expect(readFileSync(join(folder, '.lock-id'), 'latin1')).toMatch(/^[0-9a-f]{32}$/);
    },
  );
});

test.for([20, 24])(
  'a holder on Node %i and a waiter on this one meet',
  { timeout: 400_000 },
  async (major, { skip }) => {
    const node = nodeBinary(major);
    skip(node === undefined, `needs npm's registry: Node ${major} for this platform`);
    if (node === undefined) return;
    const holder = start({ node, leave: 'across' });
    expect(await holder.line()).toBe('held');
    const waiter = start();
    expect(await waiter.line()).toBe('waiting');
    holder.child.stdin?.end();
    expect(await waiter.line()).toBe('got "across"');

    const here = start({ leave: 'back' });
    expect(await here.line()).toBe('held');
    const there = start({ node });
    expect(await there.line()).toBe('waiting');
    here.child.stdin?.end();
    expect(await there.line()).toBe('got "back"');
  },
);
