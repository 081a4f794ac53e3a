/**
 * A lock that the kernel frees when its holder dies, however it dies: a listening socket. On Linux it has an abstract
 * name, on Windows it is a named pipe, elsewhere a socket file in our folder. Whoever finds it taken connects and
 * waits for the holder to hang up; the holder may leave a text for those who wait.
 *
 * Passed over: proper-lockfile (a killed holder delays the others by its stale time, and it leaves folders behind),
 * flock (no binding in Node; npm's are native). An abstract name could be squatted by any user of the machine, so it
 * has a random id in it that lies in our 0700 folder.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GwtokenError, systemCode } from '../errors';
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
  const address = lockAddress(folder, name, machine);
  if (address === undefined) return undefined;
  // Between a refused listen and a refused connect the holder has gone: a few rounds settle who is next.
  for (let round = 0; round < 20; round++) {
    const held = await listen(address);
    if (held !== 'taken') return held;
    const other = await joinWaiting(address);
    if (other !== 'gone') return other;
    if (isSocketFile(machine)) fs.rmSync(address, { force: true });
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

function isSocketFile({ platform }: Machine): boolean {
  return platform !== 'linux' && platform !== 'win32';
}

function lockAddress(folder: string, name: string, { platform, uid }: Machine): string | undefined {
  try {
    const id = createHash('sha256')
      .update(`${uid} ${folderId(folder)} ${name}`)
      .digest('hex');
    // Padded to the whole of sun_path: Node 20 binds the padding too, later ones do not, and they must meet.
    if (platform === 'linux') return `\0gwtoken-${id}`.padEnd(108, '.');
    if (platform === 'win32') return `\\\\.\\pipe\\gwtoken-${id}`;
    const path = join(folder, `${name}.sock`);
    // sun_path holds 104 bytes on macOS; the temporary folder is the user's own there and short.
    return Buffer.byteLength(path) < 104 ? path : join(tmpdir(), `gwtoken-${id.slice(0, 32)}.sock`);
  } catch {
    return undefined;
  }
}

/** The folder's random id, made by whoever comes first: link() puts it there whole or not at all. */
function folderId(folder: string): string {
  const path = join(folder, '.lock-id');
  try {
    return checkedId(fs.readFileSync(path, 'latin1'));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  fs.writeFileSync(own, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    fs.linkSync(own, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(own, { force: true });
  }
  return checkedId(fs.readFileSync(path, 'latin1'));
}

function checkedId(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  throw new Error('not a lock id');
}

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
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? 'gone' : undefined);
    });
    socket.on('close', () => finish(said === '' ? undefined : said));
  });
}
