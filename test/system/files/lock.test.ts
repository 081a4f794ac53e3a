import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { tryLock, withLock } from '../../../src/system/files/lock';
import {
  claim,
  holderOf,
  lockPlace,
  newHolder,
  removeHolder,
  withAddress,
} from '../../../src/system/files/lock-folder';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { bundle } from '../../harness/programs/bundle';
import { nodeBinary } from '../../harness/programs/node-versions';
import { inherited } from '../../harness/programs/program';

/** The lock between real processes; what macOS does otherwise is exercised by naming that platform. */
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
  again = false,
  temporary = tmpdir(),
  node = process.execPath,
} = {}): Locker {
  const child = spawn(node, [program, folder, platform, leave, again ? 'again' : ''], {
    env: { ...inherited(), TMPDIR: temporary },
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

/** Some that wait for a frozen holder, frozen too: the first would pass it over before the last has started. */
async function startFrozen(count: number, options: Parameters<typeof start>[0]): Promise<Locker[]> {
  const waiting = Array.from({ length: count }, () => start(options));
  await Promise.all(
    waiting.map(async ({ child, line }) => {
      expect(await line()).toBe('waiting');
      child.kill('SIGSTOP');
    }),
  );
  return waiting;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Waits for a holder of the test's own, which does what it likes with those who connect. */
async function waitFor(
  meet: (socket: Socket) => void,
  { name = 'token', machine = MACHINE, holder = newHolder() } = {},
) {
  const place = lockPlace(folder, name, machine)!;
  const server = createServer((socket) => meet(socket.on('error', () => {})));
  onCleanup(() => server.close());
  await withAddress(place, holder, (address) => once(server.listen({ path: address }), 'listening'));
  expect(claim(place, holder)).toBe(true);
  const turn = await tryLock(folder, name, machine);
  if (turn === undefined || turn.held) throw new Error('there should be a holder to wait for');
  return { wait: turn.wait, isHeld: () => holderOf(place) === holder };
}

const platforms: NodeJS.Platform[] = process.platform === 'linux' ? ['linux', 'darwin'] : [process.platform];

describe.each(platforms)('a lock as on %s', (platform) => {
  test('is held by one; those who wait get what it leaves, and the next can have it', async () => {
    const holder = start({ platform, leave: 'a text.\nof two lines' });
    expect(await holder.line()).toBe('held');
    const waiting = [start({ platform }), start({ platform })];
    for (const { line } of waiting) expect(await line()).toBe('waiting');
    holder.child.stdin?.end();
    for (const { line } of waiting) expect(await line()).toBe('got "a text.\\nof two lines"');
    const next = start({ platform });
    expect(await next.line()).toBe('held');
  });

  test('leaves its text also to those who came while the holder was busy', async () => {
    const holder = start({ platform, leave: 'a text' });
    expect(await holder.line()).toBe('held');
    holder.child.kill('SIGSTOP');
    const waiting = await startFrozen(5, { platform });
    holder.child.stdin?.end();
    for (const { child } of [holder, ...waiting]) child.kill('SIGCONT');
    for (const { line } of waiting) expect(await line()).toBe('got "a text"');
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
    const holder = start({ platform, leave: 'x'.repeat(4000) });
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
    'a frozen holder is passed over after three seconds, by one of those who wait',
    async () => {
      const frozen = start({ platform });
      await frozen.line();
      frozen.child.kill('SIGSTOP');
      const waiting = await startFrozen(10, { platform, again: true });
      for (const { child } of waiting) child.kill('SIGCONT');
      const since = performance.now();
      const next = await Promise.all(
        waiting.map(async ({ line }) => {
          expect(await line()).toBe('got ""');
          return await line();
        }),
      );
      // Those who began to wait first have counted since then; none goes on before 2.5 s, on any machine.
      expect(performance.now() - since).toBeGreaterThan(2000);
      expect(next.sort()).toEqual(['held', ...Array(9).fill('waiting')]);

      // Awake again and at its end, it takes nothing away from its successor.
      frozen.child.kill('SIGCONT');
      const ended = once(frozen.child, 'exit');
      frozen.child.stdin?.end();
      expect(await ended).toEqual([0, null]);
      expect(await start({ platform }).line()).toBe('waiting');
    },
  );

  test('one that lives keeps the lock however long it takes', { timeout: 60_000 }, async () => {
    const holder = start({ platform, leave: 'late, but there' });
    await holder.line();
    const waiter = start({ platform });
    expect(await waiter.line()).toBe('waiting');
    // Killed before it has read all signs of life: to the holder that is an error of the connection.
    const [frozen] = process.platform === 'win32' ? [] : await startFrozen(1, { platform });
    const line = waiter.line();
    expect(await Promise.race([line, sleep(5000, 'still waiting')])).toBe('still waiting');
    if (frozen) await kill(frozen.child);
    holder.child.stdin?.end();
    expect(await line).toBe('got "late, but there"');
  });

  test('a waiter has a limit of its own', async () => {
    const holder = start({ platform });
    await holder.line();
    // In this process: a line of another's may arrive late.
    const wait = async (limitMs: number, stopped?: AbortSignal) => {
      const turn = await tryLock(folder, 'token', { ...MACHINE, platform });
      if (turn === undefined || turn.held) throw new Error('there should be a holder to wait for');
      return await turn.wait(limitMs, stopped);
    };
    const since = performance.now();
    expect(await wait(700)).toBe('late');
    expect(performance.now() - since).toBeGreaterThan(600);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    for (let round = 0; round < 5; round++) {
      // Nobody wants it any more when the wait begins.
      const inVain = wait(60_000, AbortSignal.abort());
      expect(await Promise.race([inVain, sleep(10_000, 'still waiting', { ref: false })])).toBe('late');
    }
    // A timer that stayed would keep a program alive. The test runner has some, too, now and then.
    for (let round = 0; timers() > before && round < 100; round++) await sleep(20);
    expect(timers()).toBeLessThanOrEqual(before);
    // Or stops wanting it.
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await Promise.race([wait(60_000, stop.signal), sleep(10_000, 'still waiting')])).toBe('late');
    const { signal } = new AbortController();
    expect(await wait(0, signal)).toBe('late');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('a text beyond all bounds is not taken in', async () => {
    const holder = start({ platform, leave: 'x'.repeat(100_000) });
    await holder.line();
    const waiter = start({ platform });
    expect(await waiter.line()).toBe('waiting');
    holder.child.stdin?.end();
    expect(await waiter.line()).toBe('got ""');
  });

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
    const [nowhere, machine] = [join(folder, 'nowhere'), { ...MACHINE, platform }];
    expect(await tryLock(nowhere, 'token', machine)).toBeUndefined();
    expect(await withLock(nowhere, 'token', machine, 20_000, () => 'done')).toBe('done');
  });
});

test.runIf(process.platform === 'linux')(
  'one that cannot be taken, since no file has such a name, leaves nobody listening, who would never end',
  async () => {
    const listening = () => readFileSync('/proc/net/unix', 'latin1');
    const other = openFolder();
    const turn = await tryLock(other, 'token', MACHINE);
    expect(await tryLock(folder, 'x'.repeat(300), MACHINE)).toBeUndefined();
    expect(listening()).toContain(other);
    expect(listening()).not.toContain(folder);
    expect(() => claim(lockPlace(folder, 'x'.repeat(300), MACHINE)!, newHolder())).toThrow('ENAMETOOLONG');
    expect(readdirSync(join(folder, '.locks'))).toEqual([]);
    if (turn?.held) turn.release();
  },
);

test.runIf(process.platform === 'linux')(
  'a holder without a sign of life is passed over after seven looks, unless its process is busy',
  async () => {
    let hungUp: Promise<unknown> = Promise.reject(new Error('nobody has waited for it'));
    hungUp.catch(() => {});
    // Of this process, which is running whenever it looks.
    const busy = await waitFor(
      (socket) => {
        hungUp = once(socket.resume(), 'close');
      },
      { name: 'busy' },
    );
    const NOBODY = '0'.repeat(32);
    const silent = await waitFor(() => {}, { name: 'silent', holder: NOBODY });
    // On Windows a sign of life counts only from one that has proved to be the holder.
    const cwd = process.cwd();
    onCleanup(() => process.chdir(cwd));
    process.chdir(folder);
    const signing = (socket: Socket) => {
      const signs = setInterval(() => socket.write('.'), 300);
      socket.once('close', () => clearInterval(signs));
    };
    const windows = { ...MACHINE, platform: 'win32' } as const;
    const unproved = await waitFor(signing, { name: 'unproved', holder: '1'.repeat(32), machine: windows });

    // Beside their looks, so that both are late alike on a busy machine.
    let ticks = 0;
    const clock = setInterval(() => ticks++, 500);
    onCleanup(() => clearInterval(clock));
    const passedOver = [silent, unproved].map(async ({ wait }) => ({ got: await wait(60_000), ticks }));
    expect(await busy.wait(4500)).toBe('late');
    // Or a program would go on waiting.
    await hungUp;
    for (const each of await Promise.all(passedOver)) {
      expect(each.got).toBe('');
      expect(each.ticks).toBeGreaterThanOrEqual(7);
      expect(each.ticks).toBeLessThan(10);
    }
    expect([busy, silent, unproved].map(({ isHeld }) => isHeld())).toEqual([true, false, false]);
  },
);

test('a text may arrive in pieces, cut within a letter, and begins behind the signs of life', async () => {
  const { wait } = await waitFor(async (socket) => {
    for (const byte of Buffer.from('..v1.2, grün')) {
      socket.write(Buffer.of(byte));
      // So that each is read by itself.
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    }
    socket.end();
  });
  expect(await wait(20_000)).toBe('v1.2, grün');
});

test.runIf(process.platform === 'linux')(
  'a full queue before a holder does not mean that there is no lock',
  async () => {
    const place = lockPlace(folder, 'token', MACHINE)!;
    const holder = newHolder();
    const server = createServer((socket) => socket.on('error', () => {}).resume());
    onCleanup(() => server.close());
    await withAddress(place, holder, (address) =>
      once(server.listen({ path: address, backlog: 1 }), 'listening'),
    );
    expect(claim(place, holder)).toBe(true);
    // All at once: the server takes in nobody meanwhile.
    const turn = await withAddress(place, holder, (address) => {
      const others = Array.from({ length: 4 }, () => connect({ path: address }).on('error', () => {}));
      for (const socket of others) onCleanup(() => socket.destroy());
      return tryLock(folder, 'token', MACHINE);
    });
    expect(turn?.held).toBe(false);
    if (turn?.held === false) expect(await turn.wait(0)).toBe('late');
  },
);

test.runIf(process.platform === 'linux')(
  'a holder that cannot be connected to is taken for dead at once, or after a second where the system leaves it open',
  async () => {
    for (const [platform, least] of [
      ['linux', 0],
      ['darwin', 1000],
    ] as const) {
      const killed = start({ platform });
      expect(await killed.line()).toBe('held');
      await kill(killed.child);
      const since = performance.now();
      const turn = await tryLock(folder, 'token', { ...MACHINE, platform });
      const ms = performance.now() - since;
      expect(turn?.held).toBe(true);
      if (turn?.held) turn.release();
      expect(ms).toBeGreaterThanOrEqual(least);
      if (platform === 'linux') expect(ms).toBeLessThan(1000);
    }
  },
);

test('who is suspended while losing the race for it waits for the winner', async () => {
  const both = [tryLock(folder, 'a', MACHINE), tryLock(folder, 'a', MACHINE)];
  // Both have seen that nobody holds it, and neither has taken it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5100);
  const [winner, loser] = await Promise.all(both);
  expect([winner?.held, loser?.held]).toEqual([true, false]);
  // As long as a text may be.
  const text = 'x'.repeat(4096);
  if (winner?.held) winner.release(text);
  if (loser?.held === false) expect(await loser.wait(20_000)).toBe(text);
});

test('work that needs the lock waits for its holder, and fails where that takes too long', async () => {
  const holder = start();
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
  holder.child.stdin?.end();
  expect(await waiting).toBe(1);
});

test('it waits for so long in all, however often it has to begin again', async () => {
  // This holder hangs up on those who wait, and keeps the lock.
  await waitFor((socket) => setTimeout(() => socket.end(), 100));
  const work = withLock(folder, 'token', MACHINE, 500, () => 'done');
  const waited = `waited 0.5 s for another gwtoken process that is writing to ${folder}`;
  await expect(work).rejects.toThrow(waited);
});

test.skipIf(process.platform === 'win32')(
  'a lock that goes from one to the next is not given up, however long none of them can be met',
  async () => {
    const place = lockPlace(folder, 'token', MACHINE)!;
    const next = () => {
      rmSync(join(place.folder, 'token.lock'), { force: true });
      symlinkSync(newHolder(), join(place.folder, 'token.lock'));
    };
    next();
    const hands = setInterval(next, 100);
    onCleanup(() => clearInterval(hands));
    const turn = tryLock(folder, 'token', MACHINE);
    expect(await Promise.race([turn, sleep(6000, 'still trying')])).toBe('still trying');
    clearInterval(hands);
    expect(await turn).toMatchObject({ held: true });
  },
);

test.skipIf(process.platform === 'win32')(
  'a holder that goes on and on is not listened to for longer than its text may be',
  async () => {
    const { wait } = await waitFor((socket) => socket.write('x'.repeat(4097)));
    // It hangs up only with the waiter.
    expect(await wait(20_000)).toBe('');
  },
);

test.skipIf(process.platform === 'win32')(
  'there is none beside a holder that the system does not let one ask, and the lock stays its own',
  async () => {
    const place = lockPlace(folder, 'token', MACHINE)!;
    const holder = newHolder();
    symlinkSync(`${holder}.sock`, join(place.folder, `${holder}.sock`));
    symlinkSync(holder, join(place.folder, 'token.lock'));
    expect(await tryLock(folder, 'token', MACHINE)).toBeUndefined();
    expect(holderOf(place)).toBe(holder);
  },
);

test.skipIf(process.platform === 'win32')(
  'a long path to the folder does not matter, and nothing of the way around it stays',
  async () => {
    folder = join(folder, 'x'.repeat(120));
    mkdirSync(folder);
    // Of its own: in the machine's, others may be on their way around just then.
    const temporary = openFolder();
    const holder = start({ temporary, leave: 'so far away' });
    expect(await holder.line()).toBe('held');
    const waiter = start({ temporary });
    expect(await waiter.line()).toBe('waiting');
    expect(readdirSync(temporary)).toEqual([]);
    holder.child.stdin?.end();
    expect(await waiter.line()).toBe('got "so far away"');
    expect(readdirSync(join(folder, '.locks'))).toEqual([]);
    // Nor where it leads to nothing.
    vi.stubEnv('TMPDIR', temporary);
    onCleanup(() => vi.unstubAllEnvs());
    const inVain = withAddress(lockPlace(folder, 'token', MACHINE)!, newHolder(), async (address) => {
      throw new Error(`nobody at ${address}`);
    });
    await expect(inVain).rejects.toThrow(`nobody at ${temporary}/gwtoken-`);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')(
  'an address has 103 bytes at most, which macOS has room for',
  async () => {
    const holder = '0'.repeat(32);
    const socket = `/${holder}.sock`;
    const way = (above: string) =>
      withAddress({ folder: above, name: 'token', isWindows: false }, holder, async (address) => address);
    const longest = `/${'x'.repeat(102 - socket.length)}`;
    expect(await way(longest)).toBe(`${longest}${socket}`);
    for (const longer of [`${longest}x`, longest.replace('x', 'ä')])
      expect(await way(longer)).toMatch(/\/gwtoken-[0-9a-f]{16}\/0{32}\.sock$/);
  },
);

describe.skipIf(process.platform === 'win32')('the files of a lock', () => {
  const locks = () => join(folder, '.locks');

  test('lie where no other user can look, whatever the modes above', async () => {
    chmodSync(folder, 0o755);
    mkdirSync(locks());
    for (const others of [0o01, 0o04, 0o10, 0o40]) {
      chmodSync(locks(), 0o700 | others);
      lockPlace(folder, 'token', MACHINE);
      expect((statSync(locks()).mode & 0o777).toString(8)).toBe('700');
    }
    chmodSync(locks(), 0o755);
    const holder = start();
    expect(await holder.line()).toBe('held');
    expect((statSync(locks()).mode & 0o777).toString(8)).toBe('700');
    expect(readdirSync(folder)).toEqual(['.locks']);
    expect(readdirSync(locks()).sort()).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}(-\d+)?\.sock$/),
      'token.lock',
    ]);
    holder.child.stdin?.end();
    await once(holder.child, 'exit');
    expect(readdirSync(locks())).toEqual([]);
  });

  test.each([
    ['a file', () => writeFileSync(locks(), '')],
    ['a link', () => symlinkSync(openFolder(), locks())],
  ])('are not made through %s in their folder’s place', async (_, put) => {
    put();
    expect(await start().line()).toBe('none');
  });

  test('are not made where another user can write', ({ skip }) => {
    mkdirSync(locks());
    for (const mode of [0o720, 0o702]) {
      chmodSync(locks(), mode);
      expect(lockPlace(folder, 'token', MACHINE)).toBeUndefined();
    }
    skip(MACHINE.uid !== 0, 'needs root: to be another user, and to give a folder away');
    chmodSync(locks(), 0o700);
    expect(lockPlace(folder, 'token', { ...MACHINE, uid: 12_345 })).toBeUndefined();
    chownSync(locks(), 12_345, 12_345);
    expect(lockPlace(folder, 'token', MACHINE)).toBeUndefined();
  });

  test('name no holder that is none, and are rid of it', () => {
    const place = lockPlace(folder, 'token', MACHINE)!;
    const id = '0'.repeat(32);
    for (const other of [`../../${id}`, `${id}/x`, `x${id}`, `${id}0`, `${id}-`, `${id}-1x`, id.slice(1)]) {
      symlinkSync(other, join(locks(), 'token.lock'));
      expect([other, holderOf(place), readdirSync(locks())]).toEqual([other, undefined, []]);
    }
  });

  test('stay where they are another holder’s by now', () => {
    const place = lockPlace(folder, 'token', MACHINE)!;
    const [former, present] = [newHolder(), newHolder()];
    expect(claim(place, present)).toBe(true);
    // Once it had no lock yet, and once somebody else had begun to remove it.
    writeFileSync(join(locks(), `${former}.sock`), '');
    removeHolder(place, former);
    removeHolder(place, former, true);
    expect(holderOf(place)).toBe(present);
    expect(readdirSync(locks())).toEqual(['token.lock']);
  });

  test.each([
    ['an empty file', () => writeFileSync(join(locks(), 'token.lock'), '')],
    ['a pipe', () => execFileSync('mkfifo', [join(locks(), 'token.lock')])],
    ['a way out', () => symlinkSync('../../stranger', join(locks(), 'token.lock'))],
    ['a holder that has gone', () => symlinkSync('0'.repeat(32), join(locks(), 'token.lock'))],
  ])('are made anew when there is %s in their place', async (_, put) => {
    mkdirSync(locks(), { mode: 0o700 });
    put();
    expect(await start().line()).toBe('held');
    expect(await start().line()).toBe('waiting');
  });

  test('are removed when killed holders left them, and those of living ones stay', async () => {
    mkdirSync(locks(), { mode: 0o700 });
    const left = ['1', '2'].map((digit) => join(locks(), `${digit.repeat(32)}.sock`));
    for (const file of left) writeFileSync(file, '');
    const before = (ms: number) => [new Date(Date.now() - ms), new Date(Date.now() - ms)] as const;
    utimesSync(left[0]!, ...before(61_000));
    utimesSync(left[1]!, ...before(30_000));
    // What cannot be removed, as what a virus scanner has open on Windows, costs nobody the lock.
    const stuck = join(locks(), `${'f'.repeat(32)}.sock`);
    mkdirSync(stuck);
    utimesSync(stuck, ...before(61_000));
    const holder = start();
    await holder.line();
    const [socket = ''] = readdirSync(locks()).filter(
      (file) => file.endsWith('.sock') && ![...left, stuck].includes(join(locks(), file)),
    );
    for (const file of [socket, 'token.lock']) lutimesSync(join(locks(), file), ...before(61_000));
    const turn = await tryLock(folder, 'another', MACHINE);
    expect(turn?.held).toBe(true);
    const names = readdirSync(locks());
    expect(names).toEqual(expect.arrayContaining([socket, 'token.lock']));
    expect(names).not.toContain(`${'1'.repeat(32)}.sock`);
    expect(names).toContain(`${'2'.repeat(32)}.sock`);
    if (turn?.held) turn.release();
  });
});

describe.skipIf(process.platform === 'win32')('as on Windows', () => {
  const windows = { ...MACHINE, platform: 'win32' } as const;
  beforeEach(() => {
    // What is a pipe's name there is a file's here.
    const before = process.cwd();
    process.chdir(folder);
    onCleanup(() => process.chdir(before));
  });

  test('a sign of life that comes before the proof costs the holder nothing', async () => {
    const holder = newHolder();
    const { wait, isHeld } = await waitFor(
      (socket) => {
        socket.write('.');
        socket.once('data', (nonce) => {
          socket.write(`${createHmac('sha256', holder).update(String(nonce)).digest('hex')}.`);
        });
      },
      { holder, machine: windows },
    );
    expect(await wait(500)).toBe('late');
    expect(isHeld()).toBe(true);
  });

  test.each([
    ['nothing but a text', 'a text', true],
    ['something as long as the proof', '0'.repeat(64), false],
    ['something longer', `${'0'.repeat(64)}a text`, false],
  ])('who has taken a killed holder’s pipe, and says %s, is not believed', async (_, said, stays) => {
    const { wait, isHeld } = await waitFor((socket) => socket.end(said), { machine: windows });
    expect(await wait(20_000)).toBe('');
    expect(isHeld()).toBe(stays);
  });

  test('whoever waits gets what the holder leaves, and the environment is as before', async () => {
    const set: unknown[] = [];
    const env = new Proxy<NodeJS.ProcessEnv>(
      {},
      {
        set(target, name, value) {
          set.push(value);
          return Reflect.set(target, name, value);
        },
      },
    );
    const [holder, waiter] = [
      await tryLock(folder, 'token', { ...windows, env }),
      await tryLock(folder, 'token', { ...windows, env }),
    ];
    // How many a pipe keeps waiting, while it is opened.
    expect({ set, env: { ...env } }).toEqual({ set: ['255'], env: {} });
    if (!holder?.held || waiter?.held !== false) throw new Error('the one should wait for the other');
    holder.release('a text');
    expect(await waiter.wait(20_000)).toBe('a text');

    env['NODE_PENDING_PIPE_INSTANCES'] = '7';
    for (const machine of [windows, MACHINE]) {
      const turn = await tryLock(folder, `on ${machine.platform}`, { ...machine, env });
      if (turn?.held) turn.release();
    }
    expect({ set, env: { ...env } }).toEqual({
      set: ['255', '7', '255', '7'],
      env: { NODE_PENDING_PIPE_INSTANCES: '7' },
    });
  });

  test('a killed holder, whose pipe has gone with it, leaves nothing behind', async () => {
    const place = lockPlace(folder, 'token', windows)!;
    const killed = newHolder();
    expect(claim(place, killed)).toBe(true);
    const turn = await tryLock(folder, 'token', windows);
    expect(turn?.held).toBe(true);
    expect(readdirSync(place.folder).sort()).toEqual([`${holderOf(place)}.sock`, 'token.lock']);
    if (turn?.held) turn.release();
  });

  test('there is none where no pipe can be opened', async () => {
    const gone = openFolder();
    process.chdir(gone);
    rmSync(gone, { recursive: true });
    expect(await tryLock(folder, 'token', windows)).toBeUndefined();
  });

  test('only half of the holder’s ID is in the name that everybody sees', async () => {
    const place = lockPlace(folder, 'token', windows)!;
    const address = withAddress(place, '0123456789abcdef'.repeat(2), async (name) => name);
    expect(await address).toBe('\\\\.\\pipe\\gwtoken-0123456789abcdef');
  });

  test('who comes second leaves nothing behind', () => {
    const place = lockPlace(folder, 'token', windows)!;
    const [first, second] = [newHolder(), newHolder()];
    expect([claim(place, first), claim(place, second)]).toEqual([true, false]);
    expect(holderOf(place)).toBe(first);
    expect(readdirSync(place.folder).sort()).toEqual([`${first}.sock`, 'token.lock']);
  });

  test('a lock that cannot be read is not taken for rubbish', () => {
    const place = lockPlace(folder, 'token', windows)!;
    symlinkSync('token.lock', join(folder, '.locks', 'token.lock'));
    expect(holderOf(place)).toBeUndefined();
    expect(readdirSync(join(folder, '.locks'))).toEqual(['token.lock']);
  });
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
