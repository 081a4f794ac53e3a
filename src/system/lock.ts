/**
 * A lock that the kernel frees when its holder dies, however it dies: a listening socket. On Linux it has an abstract
 * name, on Windows it is a named pipe, elsewhere a socket file in our folder behind a locked file. Whoever finds it taken connects and
 * waits for the holder to hang up; the holder may leave a text for those who wait.
 *
 * Passed over: proper-lockfile (a killed holder delays the others by its stale time, and it leaves folders behind),
 * flock (no binding in Node; npm's are native). An abstract name could be squatted by any user of the machine, so it
 * has a random id in it that lies in our 0700 folder.
 */
import * as fs from 'node:fs';
import * as net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { GwtokenError, systemCode } from '../errors';
import { lockPlace } from './lock-place';
import type { Machine } from './machine';

export interface Held {
  readonly held: true;
  /** Frees the lock, then tells those who wait: what `outcome` says, or nothing. */
  release(outcome?: string): void;
}

export interface HeldByOther {
  readonly held: false;
  /** Resolves when the holder has let go: with the text it left, or undefined, also when it was killed. */
  readonly outcome: Promise<string | undefined>;
  /** Stops waiting. */
  leave(): void;
}

/**
 * Takes the lock `name` of a folder, or joins those who wait for it. Undefined when no lock can be had there
 * (a read-only folder, a strange file system): then the caller does without.
 */
export async function tryLock(
  folder: string,
  name: string,
  machine: Machine,
): Promise<Held | HeldByOther | undefined> {
  const place = lockPlace(folder, name, machine);
  if (place === undefined) return undefined;
  const { address, gate } = place;
  // Between a refused listen and a refused connect the holder has gone: a few rounds settle who is next. The more
  // there are, the longer each steps aside, by chance, so that not all come back at the same moment.
  for (let round = 1; round <= 100; round++) {
    const held = await (gate === undefined ? listen(address) : listenBehind(gate, address));
    if (held !== 'taken') return held;
    const other = await joinWaiting(address);
    if (other !== 'gone') return other;
    await sleep(Math.random() * Math.min(round, 20));
  }
  return undefined;
}

/** Runs the work while holding the lock, waiting up to `waitMs` for it; without a lock if none can be had. */
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
    const left = deadline - Date.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), Math.max(left, 0));
    });
    const first = await Promise.race([turn.outcome, late]);
    clearTimeout(timer);
    if (first === 'late') {
      turn.leave();
      throw new GwtokenError(
        'local',
        `another gwtoken has been writing in ${folder} for ${Math.round(waitMs / 1000)} s`,
        {
          hints: ['end that process, then try again'],
        },
      );
    }
  }
}

/** Where the socket is a file: only who holds the gate makes or removes one, so a killed holder's cannot be mistaken. */
async function listenBehind(gate: string, address: string): Promise<Held | 'taken' | undefined> {
  let file: number;
  try {
    const { O_RDWR, O_CREAT, O_NONBLOCK } = fs.constants;
    file = fs.openSync(gate, O_RDWR | O_CREAT | O_NONBLOCK | O_EXLOCK, 0o600);
  } catch (error) {
    return systemCode(error) === 'EAGAIN' ? 'taken' : undefined;
  }
  fs.rmSync(address, { force: true });
  const held = await listen(address);
  if (held === undefined || held === 'taken') {
    fs.closeSync(file);
    return undefined;
  }
  return {
    held: true,
    release(outcome) {
      held.release(outcome);
      fs.closeSync(file);
    },
  };
}

/** open(2) of macOS and the BSDs: lock the file as flock(2) does, until it is closed. Node has no name for it. */
const O_EXLOCK = 0x20;

function listen(address: string): Promise<Held | 'taken' | undefined> {
  return new Promise((resolve) => {
    const waiting = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => waiting.delete(socket));
    });
    server.on('error', (error) => resolve(systemCode(error) === 'EADDRINUSE' ? 'taken' : undefined));
    server.listen({ path: address }, () =>
      resolve({
        held: true,
        release(outcome = '') {
          // The name is free as soon as close() returns, so a waiter that hears the end can take it at once.
          server.close();
          for (const socket of waiting) socket.end(outcome);
        },
      }),
    );
  });
}

/**
 * What connecting says when nobody listens (any more): the holder let go before, or while we were in its queue; or
 * when its queue is full, which is as good as coming too early.
 */
const GONE = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'EAGAIN'];

function joinWaiting(address: string): Promise<HeldByOther | 'gone' | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: address });
    let said = '';
    let finish: (outcome: string | undefined) => void = () => {};
    const outcome = new Promise<string | undefined>((done) => {
      finish = done;
    });
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('connect', () => resolve({ held: false, outcome, leave: () => socket.destroy() }));
    socket.on('error', (error) => {
      const code = systemCode(error);
      resolve(code !== undefined && GONE.includes(code) ? 'gone' : undefined);
    });
    socket.on('close', () => finish(said === '' ? undefined : said));
  });
}
