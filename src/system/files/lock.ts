/**
 * A lock whose holder shows that it is alive: it listens on a socket, waiters are connected to it, and it sends them a
 * sign of life each second until it hangs up. So a killed holder is noticed at once and a frozen one after three
 * seconds, while one that waits for a slow endpoint keeps its lock. The holder may leave a text for the waiters.
 *
 * Not used: proper-lockfile (a killed holder delays the others by its stale time), flock (no binding in Node; npm's
 * are native), abstract socket names (any user of the machine can see them in /proc/net/unix, and take them).
 */

import { createHmac, randomBytes } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { failure, systemCode } from '../../errors';
import type { Turn } from '../../world';
import {
  claim,
  holderOf,
  isBusy,
  type LockPlace,
  lockPlace,
  newHolder,
  removeHolder,
  withAddress,
} from './lock-folder';
import type { Machine } from './paths';

/** How often a holder sends waiters a sign of life. */
const SIGN_EVERY_MS = 1000;
const SIGN = '.';

/**
 * How often a waiter looks for a sign of life, and after how many looks in vain it gives up on a holder: 3 to 3.5 s.
 * Looks are counted instead of time, since a waiter that was itself suspended, or got no CPU, looks once and not seven
 * times.
 */
const LOOK_EVERY_MS = 500;
const LOOKS_IN_VAIN = 7;

/** After so many turns of the event loop without another waiter, nobody is left in the queue of those who connect. */
const IDLE_TURNS = 3;

/** The longest text that a holder may leave, in characters. */
const LONGEST_TEXT = 4096;

/** After this long, a holder that cannot be connected to counts as dead, where the system does not say so at once. */
const UNREACHED_MS = 1000;

/**
 * After this long without the lock, without a holder to wait for and without a new one, there is no lock to be had. On
 * a busy machine it may go from one to the next for longer: then it works, and to go on without it would lose changes.
 * And not before so many rounds: a process that was itself suspended, or got no CPU, may have lost a race in its only one.
 */
const GIVE_UP_MS = 5000;
const FEWEST_ROUNDS = 10;

/**
 * Takes the lock `name` of a directory, or joins its waiters. Undefined if locks do not work there
 * (a read-only directory, an unusual file system): then the caller does without.
 */
export async function tryLock(folder: string, name: string, machine: Machine): Promise<Turn | undefined> {
  try {
    const place = lockPlace(folder, name, machine);
    return place && (await takeOrJoin(place, machine));
  } catch {
    return undefined;
  }
}

async function takeOrJoin(place: LockPlace, machine: Machine): Promise<Turn | undefined> {
  let unreached = { holder: '', since: performance.now() };
  for (let round = 1; round <= FEWEST_ROUNDS || performance.now() - unreached.since < GIVE_UP_MS; round++) {
    const holder = holderOf(place);
    if (holder === undefined) {
      const own = await hold(place, machine);
      if (own) return own;
      continue;
    }
    const other = await joinWaiting(place, holder, machine);
    if (typeof other !== 'string') return other;
    const now = performance.now();
    if (holder !== unreached.holder) unreached = { holder, since: now };
    if (other === 'dead') removeHolder(place, holder);
    else if (now - unreached.since > UNREACHED_MS) removeHolder(place, holder, other === 'half gone');
    // It may be letting go at this moment. Where many want the lock, each steps aside for a moment, by chance.
    else await sleep(Math.random() * Math.min(round, 20));
  }
  return undefined;
}

/** Runs the work while holding the lock, waiting up to `waitMs` for it; without a lock where locks do not work. */
export async function withLock<T>(
  folder: string,
  name: string,
  machine: Machine,
  waitMs: number,
  work: () => T | Promise<T>,
): Promise<T> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const turn = await tryLock(folder, name, machine);
    if (turn === undefined) return await work();
    if (turn.held) {
      try {
        return await work();
      } finally {
        turn.release();
      }
    }
    if ((await turn.wait(deadline - Date.now())) === 'late') {
      throw failure(
        'local',
        `waited ${waitMs / 1000} s for another gwtoken process that is writing to ${folder}`,
        'stop that process and try again',
      );
    }
  }
}

/** Takes the lock; undefined if another process was quicker. The socket is published only once it listens. */
async function hold(place: LockPlace, machine: Machine): Promise<Turn | undefined> {
  const holder = newHolder();
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    // One that is frozen and does not hang up must not keep this process alive.
    socket.unref();
    socket.on('error', () => {});
    const join = (hello: string) => {
      waiting.add(socket);
      socket.write(hello);
    };
    if (place.isWindows) socket.once('data', (nonce) => join(proof(holder, String(nonce))));
    else join(SIGN);
  });
  await withAddress(place, holder, (address) => listen(server, address, machine));
  let isHeld = false;
  try {
    isHeld = claim(place, holder);
  } finally {
    // A listening server would keep this process alive.
    if (!isHeld) server.close();
  }
  if (!isHeld) return undefined;
  const signs = setInterval(() => {
    for (const socket of waiting) socket.write(SIGN);
  }, SIGN_EVERY_MS);
  return {
    held: true,
    release(outcome = '') {
      clearInterval(signs);
      // The lock is released before the waiters are told, so that they can take it at once.
      removeHolder(place, holder);
      allJoined(waiting).then(() => {
        server.close();
        for (const socket of waiting) socket.end(outcome);
      });
    },
  };
}

/**
 * Takes in those who connected while this process was busy: a server that closes hangs up on them without a word. Node
 * accepts one in each turn of its event loop, and reads what it says in the next.
 */
async function allJoined(waiting: ReadonlySet<Socket>): Promise<void> {
  for (let idle = 0, known = waiting.size; idle < IDLE_TURNS; known = waiting.size) {
    await setImmediate();
    idle = waiting.size > known ? 0 : idle + 1;
  }
}

/**
 * How many can connect to a Windows pipe before its holder accepts them. One more would hang while
 * connecting for half a minute if the holder is frozen, whatever its own limit.
 */
const PENDING = { variable: 'NODE_PENDING_PIPE_INSTANCES', count: '255' };

/** Node reads that number only from the environment, at this moment. */
function listenAt(server: Server, address: string, { platform, env }: Machine, done: () => void): void {
  const before = env?.[PENDING.variable];
  if (env && platform === 'win32') env[PENDING.variable] = PENDING.count;
  server.listen({ path: address }, done);
  if (!env || platform !== 'win32') return;
  if (before === undefined) delete env[PENDING.variable];
  else env[PENDING.variable] = before;
}

function listen(server: Server, address: string, machine: Machine): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    listenAt(server, address, machine, resolve);
  });
}

/**
 * The holder's answer on Windows: there everybody can see a pipe's name while its holder is alive, and take it once
 * that was killed; but the holder's whole ID is only in the user's directory.
 */
function proof(holder: string, nonce: string): string {
  return createHmac('sha256', holder).update(nonce).digest('hex');
}

/**
 * The errors of connecting when nobody listens any more: the holder released the lock before, or while we were in its
 * queue; or when that queue is full, which macOS does not distinguish from a dead holder.
 */
const GONE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN'];

/** The error that means a dead holder beyond doubt, by platform. */
const SAYS_DEAD: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'ECONNREFUSED',
  android: 'ECONNREFUSED',
  win32: 'ENOENT',
};

async function joinWaiting(
  place: LockPlace,
  holder: string,
  { platform }: Machine,
): Promise<Turn | 'dead' | 'gone' | 'half gone' | undefined> {
  const saysDead = SAYS_DEAD[platform];
  return await withAddress(
    place,
    holder,
    (address) =>
      new Promise((resolve) => {
        const socket = connect({ path: address });
        const wait = listenTo(socket, place, holder);
        socket.on('connect', () => resolve({ held: false, wait }));
        socket.on('error', (error) => {
          const code = systemCode(error) ?? '';
          if (code === saysDead) resolve('dead');
          else if (code === 'ENOENT') resolve('half gone');
          else resolve(GONE.includes(code) ? 'gone' : undefined);
        });
      }),
  );
}

/** What is left of a text behind the signs of life. */
const withoutSigns = (text: string): string => text.replace(/^\.+/, '');

/** Reads what the holder sends, from the first moment on. Returns the function that waits for its end. */
function listenTo(socket: Socket, place: LockPlace, holder: string): Extract<Turn, { held: false }>['wait'] {
  let said = '';
  let looksInVain = 0;
  let expected = '';
  if (place.isWindows) {
    const nonce = randomBytes(16).toString('hex');
    expected = proof(holder, nonce);
    socket.write(nonce);
  }
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    said = withoutSigns(said + chunk);
    if (expected !== '' && said.length >= expected.length) {
      if (!said.startsWith(expected)) passOver();
      said = withoutSigns(said.slice(expected.length));
      expected = '';
    }
    if (expected !== '') return;
    looksInVain = 0;
    if (said.length > LONGEST_TEXT) socket.destroy();
  });
  const ended = new Promise<string>((done) =>
    socket.on('close', () => done(expected === '' && said.length <= LONGEST_TEXT ? said : '')),
  );
  function passOver(): void {
    removeHolder(place, holder);
    said = '';
    socket.destroy();
  }
  return async (limitMs, stopped) => {
    const looks = setInterval(() => {
      looksInVain += 1;
      if (looksInVain >= LOOKS_IN_VAIN && !isBusy(holder)) passOver();
    }, LOOK_EVERY_MS);
    // The signal may outlast many a wait, and Node warns of the eleventh listener.
    const over = new AbortController();
    if (stopped?.aborted) over.abort();
    stopped?.addEventListener('abort', () => over.abort(), { signal: over.signal });
    const late = sleep(Math.max(limitMs, 0), undefined, { signal: over.signal }).catch(() => {});
    try {
      return await Promise.race([ended, late.then(() => 'late' as const)]);
    } finally {
      clearInterval(looks);
      over.abort();
      socket.destroy();
    }
  };
}
