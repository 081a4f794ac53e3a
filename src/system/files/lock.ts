/**
 * A lock whose holder shows that it is alive. The lock is a file, `.locks/NAME.lock`: it names its holder, who touches
 * it every half second. Waiters look at it. A holder whose process has ended is passed over within half a second if it
 * ran on this machine, any other after three seconds without a sign of life.
 *
 * Whoever ends a holder, itself or another, first creates the file `ID.result`, which only one can, and then removes the
 * lock: so a holder that wakes up late never removes its successor's. Its text is for the waiters.
 *
 * Not used: proper-lockfile (a killed holder delays the others by its stale time), flock (Node has none), sockets (no
 * delay at all, but three times the code, and other code on Windows).
 */
import { chmodSync, constants, lstatSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure, quietly } from '../../errors';
import { systemCode } from '../../system-errors';
import type { Lock } from '../../world';
import { holderState, ownProcess } from '../processes/identity';
import { WRITER_WAITS_MS, whileHeld } from './held';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { uniqueName } from './replace';
import { sweepOld } from './sweep';
import { distrust, makeFolder } from './trust';

const BEAT_MS = 500;

/** A waiter pauses between two looks for this long at least, and twice as long at most. */
const PAUSE_MS = 25;

/**
 * After this many looks without a sign of life a holder is passed over: three seconds. Looks are counted instead of
 * time, since a waiter that was itself suspended, or got no CPU, looks once and not eighty times.
 */
const LOOKS_IN_VAIN = 80;

/** Once in this many looks without a sign of life the system is asked whether the holder's process still exists. */
const LOOKS_PER_QUESTION = 10;

const LONGEST_TEXT_BYTES = 4096;

interface LockFile {
  readonly path: string;
  readonly folder: string;
  readonly host: Host;
}

/** The file's content is `ID PROCESS`; empty if it is not written yet, or not a lock. */
interface Look {
  readonly holder: string;
  readonly touchedAtMs: number;
}

/**
 * Takes the lock `name` of a directory, or joins its waiters. Undefined if there can be no lock, such as in a read-only
 * directory: then the caller does without.
 */
export function tryLock(above: string, name: string, host: Host): Lock | undefined {
  try {
    const folder = locksFolder(above, host);
    if (folder === undefined) return undefined;
    const lock = { path: join(folder, `${name}.lock`), folder, host };
    return hold(lock, `${uniqueName()} ${ownProcess(host.proc)}`) ?? { held: false, wait: waitFor(lock) };
  } catch {
    return undefined;
  }
}

/** Creates the locks' directory, closed to other users whatever the one above is; undefined if it is not the user's. */
function locksFolder(above: string, host: Host): string | undefined {
  const folder = join(above, '.locks');
  // The directory above is created, and checked, by those who store something in it.
  lstatSync(above);
  makeFolder(folder, host);
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || distrust(stat, 'user', host)) return undefined;
  if (host.uid !== undefined && (stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}

/** Creates the lock's file; undefined if another process has it. */
function hold(lock: LockFile, holder: string): Lock | undefined {
  const { path, folder, host } = lock;
  try {
    whileHeld(() => writeFileSync(path, holder, { flag: 'wx', mode: 0o600 }), WRITER_WAITS_MS, host);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    // What was created could not be written: the disk is full.
    rmSync(path, { force: true });
    throw error;
  }
  const beat = setInterval(() => {
    quietly(() => lookAt(path)?.holder === holder && utimesSync(path, new Date(), new Date()));
  }, BEAT_MS).unref();
  // What killed holders, and those that failed, left.
  sweepOld(folder, /\.(lock|result)$/);
  return {
    held: true,
    release(text) {
      clearInterval(beat);
      end(lock, holder, text);
    },
  };
}

/** Ends a holder, unless another process does: removes the lock, and leaves the text to the waiters. */
function end(lock: LockFile, holder: string, text = ''): void {
  const result = resultPath(lock, holder);
  quietly(() => {
    try {
      writeFileSync(result, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      // On a full disk the lock can still be removed.
      if (systemCode(error) === 'EEXIST') return;
    }
    if (lookAt(lock.path)?.holder === holder) whileHeld(() => rmSync(lock.path), WRITER_WAITS_MS, lock.host);
    if (text === '') rmSync(result);
  });
}

/** Returns the function that waits until the holder that is there now has ended; see {@link Lock}. */
function waitFor(lock: LockFile): Extract<Lock, { held: false }>['wait'] {
  const first = lookAt(lock.path);
  return async (limitMs, signal) => {
    const giveUpAt = performance.now() + limitMs;
    let last = first;
    for (let inVain = 1; ; inVain++) {
      const now = lookAt(lock.path);
      if (first === undefined || now?.holder !== first.holder)
        return quietly(() => read(resultPath(lock, first?.holder)).bytes.toString()) ?? '';
      if (now.touchedAtMs !== last?.touchedAtMs) inVain = 0;
      last = now;
      passOver(lock, now.holder, inVain);
      const leftMs = signal?.aborted ? 0 : giveUpAt - performance.now();
      if (leftMs <= 0) return 'late';
      const pauseMs = Math.min(leftMs, PAUSE_MS * (1 + Math.random()));
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
    }
  };
}

/** Ends a holder that is dead or frozen. One that runs, among 200 that start at once, may get no CPU for many seconds. */
function passOver(lock: LockFile, holder: string, inVain: number): void {
  if (inVain === 0 || inVain % LOOKS_PER_QUESTION > 0) return;
  const fate = holderState(holder.slice(holder.indexOf(' ') + 1), lock.host.proc);
  if (fate === 'dead' || (inVain >= LOOKS_IN_VAIN && fate !== 'running')) end(lock, holder);
  // Whoever was ending it was killed over that.
  if (inVain >= LOOKS_IN_VAIN * 2) quietly(() => rmSync(resultPath(lock, holder)));
}

function lookAt(path: string): Look | undefined {
  try {
    const { bytes, stat } = read(path);
    return { holder: bytes.toString(), touchedAtMs: stat.mtimeMs };
  } catch (error) {
    // Windows lets nobody read a file that is just being removed.
    return systemCode(error) === 'ENOENT' ? undefined : { holder: '', touchedAtMs: 0 };
  }
}

const read = (path: string) => readRegular(path, LONGEST_TEXT_BYTES, constants.O_NOFOLLOW);

function resultPath({ folder }: LockFile, holder = ''): string {
  const [id] = /^\w*/.exec(holder) ?? [];
  return join(folder, `${id}.result`);
}

/** Runs the work while holding the lock, waiting up to `waitMs` for it; without a lock if there can be none. */
export async function withLock<T>(
  folder: string,
  name: string,
  host: Host,
  waitMs: number,
  work: () => T | Promise<T>,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(folder, name, host);
    if (lock?.held !== false) {
      try {
        return await work();
      } finally {
        lock?.release();
      }
    }
    if ((await lock.wait(deadline - performance.now())) === 'late') {
      const waited = `waited ${waitMs / 1000} s for another gwtoken process that is writing to ${folder}`;
      throw failure('local', waited, 'stop that process and try again');
    }
  }
}
