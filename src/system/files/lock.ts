/**
 * A lock that the kernel frees when its holder dies, however it dies: a listening socket. On Linux it has an abstract
 * name, on Windows it is a named pipe, elsewhere a socket file in our folder. Whoever finds it taken connects and
 * waits for the holder to hang up; the holder may leave a text for those who wait.
 *
 * Passed over: proper-lockfile (a killed holder delays the others by its stale time, and it leaves folders behind),
 * flock (no binding in Node; npm's are native). An abstract name could be squatted by any user of the machine, so it
 * has a random id in it that lies in our 0700 folder.
 */

import { linkSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { GwtokenError, systemCode } from '../../errors';
import type { Turn } from '../../world/files';
import { lockPlace } from './lock-address';
import type { Machine } from './paths';

/**
 * Takes the lock `name` of a folder, or joins those who wait for it. Undefined when no lock can be had there
 * (a read-only folder, a strange file system): then the caller does without.
 */
export async function tryLock(folder: string, name: string, machine: Machine): Promise<Turn | undefined> {
  const place = lockPlace(folder, name, machine);
  if (place === undefined) return undefined;
  const { address, isFile } = place;
  // Between a refused listen and a refused connect the holder has gone. Where many want the lock that happens again
  // and again, so each steps aside for a moment, by chance.
  for (let round = 1; round <= 200; round++) {
    const own = await listen(address, machine);
    if (own !== 'taken') return own;
    const left = isFile ? fileAt(address) : undefined;
    const other = await joinWaiting(address);
    if (other !== 'gone') return other;
    if (left !== undefined && left.ageMs > BOUND_MS) removeLeft(address, left.identity);
    else await sleep(Math.random() * Math.min(round, 20));
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
    if ((await turn.wait(deadline - Date.now())) === 'late') {
      throw new GwtokenError(
        'local',
        `another gwtoken has been writing in ${folder} for ${waitMs / 1000} s`,
        {
          hints: ['end that process, then try again'],
        },
      );
    }
  }
}

/** A socket's file is there a moment before its holder listens, so only an older one can be a killed holder's. */
const BOUND_MS = 500;

interface SocketFile {
  /** Tells it from another that has taken its name, and perhaps its inode. */
  readonly identity: string;
  readonly ageMs: number;
}

function fileAt(path: string): SocketFile | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return (
    stat && { identity: `${stat.dev} ${stat.ino} ${stat.mtimeNs}`, ageMs: Date.now() - Number(stat.mtimeMs) }
  );
}

/** Takes a killed holder's file away. Whoever comes too late has moved that of a living holder, and puts it back. */
function removeLeft(address: string, identity: string): void {
  const aside = `${address}.${Math.random().toString(36).slice(2)}`;
  try {
    renameSync(address, aside);
    if (fileAt(aside)?.identity !== identity) linkSync(aside, address);
  } catch {
    // Another has been quicker.
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * How many may be connected to a pipe of Windows before its holder takes notice of them. One more would be kept in the
 * connecting for half a minute where the holder is frozen, whatever its own limit.
 */
const PENDING = { variable: 'NODE_PENDING_PIPE_INSTANCES', count: '255' };

/** Node takes that number from the environment alone, at this moment. */
function listenAt(server: Server, address: string, { platform, env }: Machine, done: () => void): void {
  const before = env?.[PENDING.variable];
  if (env && platform === 'win32') env[PENDING.variable] = PENDING.count;
  server.listen({ path: address }, done);
  if (!env || platform !== 'win32') return;
  if (before === undefined) delete env[PENDING.variable];
  else env[PENDING.variable] = before;
}

function listen(address: string, machine: Machine): Promise<Turn | 'taken' | undefined> {
  return new Promise((resolve) => {
    const waiting = new Set<Socket>();
    const server = createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => waiting.delete(socket));
    });
    server.on('error', (error) => resolve(systemCode(error) === 'EADDRINUSE' ? 'taken' : undefined));
    listenAt(server, address, machine, () =>
      resolve({
        held: true,
        release(outcome = '') {
          // The name is free as soon as close() returns, so a waiter that hears the end can take it at once.
          server.close();
          for (const socket of waiting) {
            socket.end(outcome);
            // One that is frozen and does not hang up must not keep this process.
            socket.unref();
          }
        },
      }),
    );
  });
}

/**
 * What connecting says when nobody listens any more: the holder let go before, or while we were in its queue; or when
 * that queue is full, which is as good as coming too early.
 */
const GONE = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'EAGAIN'];

function joinWaiting(address: string): Promise<Turn | 'gone' | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path: address });
    let said = '';
    const ended = new Promise<string>((done) => socket.on('close', () => done(said)));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('connect', () => resolve({ held: false, wait: (limitMs) => within(limitMs, ended, socket) }));
    socket.on('error', (error) => {
      resolve(GONE.includes(systemCode(error) ?? '') ? 'gone' : undefined);
    });
  });
}

async function within(limitMs: number, ended: Promise<string>, socket: Socket): Promise<string | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(limitMs, 0));
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
