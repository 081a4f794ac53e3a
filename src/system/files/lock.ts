/**
 * A lock whose holder shows that it is alive. The lock is a file, `.locks/NAME.lock`: it names its holder,
 * who touches it every half second. Waiters look at it, and pass over a holder without a sign of life:
 *
 * - after half a second if its process has ended on this machine,
 * - after ten seconds if its process runs here, but gets no CPU or waits for a disk,
 * - after three seconds otherwise: it is frozen, or on another machine.
 *
 * Whoever ends the holding, the holder or a waiter, first creates `ID.result`, which only one can, and then
 * removes the lock: so a holder that wakes up late never removes its successor's. The result's text is
 * for the waiters. On a full disk, the lock itself is renamed to the result, which then has no text.
 *
 * Not used: proper-lockfile (a killed holder delays the others by its stale time), flock (Node has none),
 * sockets (no delay at all, but three times the code, and other code on Windows).
 */
import {
  chmodSync,
  constants,
  lstatSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure, quietly, systemCode } from '../../errors';
import type { AnothersLock, Lock, Waited } from '../../world';
import { holderState, ownProcess } from '../processes/identity';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { retryWhileBusy, sweepOld, uniqueName } from './replace';
import { makeFolder, trustProblem } from './trust';

const BEAT_MS = 500;

/** A waiter pauses between two looks for this long at least, and twice as long at most. */
const PAUSE_MS = 25;

/**
 * After this many looks without a sign of life a holder is passed over: three seconds. Looks are counted
 * instead of time, since a waiter that was itself suspended, or got no CPU, looks once and not eighty times.
 */
const LOOKS_IN_VAIN = 80;
/** A holder that runs, or waits for a disk, is spared for ten seconds. */
const LOOKS_AT_RUNNING = 270;

/** Number of looks in vain after which the system is asked if the holder's process still exists. */
const LOOKS_PER_QUESTION = 10;

/** After this many attempts to end a holder whose lock stays all the same, a waiter does without the lock. */
const MOST_ATTEMPTS = 3;

const LONGEST_TEXT_BYTES = 4096;

interface LockFile {
  readonly path: string;
  readonly folder: string;
  readonly host: Host;
}

/** The file's content: `ID PROCESS`, and a line end until the holder starts its clock. */
interface Look {
  readonly holder: string;
  readonly isClockRunning: boolean;
  readonly touchedAtMs: number;
}

/**
 * Takes a lock of a directory, or joins its waiters. Undefined if there can be no lock, such as in a
 * read-only directory: then the caller does without.
 *
 * @param name the lock's name, or a function that makes it from the directory of the locks
 */
export function tryLock(
  above: string,
  name: string | ((locks: string) => string),
  host: Host,
): Lock | undefined {
  try {
    const folder = locksFolder(above, host);
    if (folder === undefined) return undefined;
    const file = typeof name === 'string' ? name : name(folder);
    const lock = { path: join(folder, `${file}.lock`), folder, host };
    return hold(lock, `${uniqueName()} ${ownProcess(host.proc)}`) ?? { held: false, wait: waitFor(lock) };
  } catch {
    return undefined;
  }
}

/** Creates the locks' directory, closed to others; returns undefined if it is not the user's. */
function locksFolder(above: string, host: Host): string | undefined {
  const folder = join(above, '.locks');
  // The directory above is created, and checked, by those who store something in it.
  lstatSync(above);
  makeFolder(folder, host);
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || trustProblem(stat, 'user', host)) return undefined;
  if (host.uid !== undefined && (stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}

/** Creates the lock's file; undefined if another process has it. */
function hold(lock: LockFile, holder: string): Lock | undefined {
  const { path, folder, host } = lock;
  try {
    retryWhileBusy(() => writeFileSync(path, `${holder}\n`, { flag: 'wx', mode: 0o600 }), host);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    // The file was created but could not be written: the disk is full.
    rmSync(path, { force: true });
    throw error;
  }
  const beat = setInterval(() => {
    quietly(() => lookAt(path)?.holder === holder && utimesSync(path, new Date(), new Date()));
  }, BEAT_MS).unref();
  // Files left by holders that were killed or failed.
  sweepOld(folder, /\.(lock|result)$|^salt-/);
  return {
    held: true,
    // Cutting a file off needs no room on the disk.
    startClock: () => quietly(() => lookAt(path)?.holder === holder && truncateSync(path, holder.length)),
    release(text) {
      clearInterval(beat);
      endHolding(lock, holder, text);
    },
  };
}

/** Ends a holding, unless another process does: removes the lock, and leaves the text to the waiters. */
function endHolding(lock: LockFile, holder: string, text = ''): void {
  const result = resultPath(lock, holder);
  quietly(() => {
    try {
      writeFileSync(result, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return;
      if (lookAt(lock.path)?.holder === holder) renameSync(lock.path, result);
      return;
    }
    if (lookAt(lock.path)?.holder === holder) retryWhileBusy(() => rmSync(lock.path), lock.host);
    if (text === '') rmSync(result);
  });
}

/** Returns the function that waits until the holder that is there now has ended; see {@link AnothersLock}. */
function waitFor(lock: LockFile): AnothersLock['wait'] {
  const first = lookAt(lock.path);
  return async (limitMs, signal) => {
    let countedMs = 0;
    let lookedAtMs = performance.now();
    let last = first;
    let attempts = 0;
    for (let inVain = 1; ; inVain++) {
      const now = lookAt(lock.path);
      if (first === undefined || now?.holder !== first.holder)
        return { ...outcomeOf(lock, first), countedMs };
      if (now.touchedAtMs !== last?.touchedAtMs) inVain = 0;
      last = now;
      if (inVain > 0 && inVain % LOOKS_PER_QUESTION === 0 && isGone(now.holder, inVain, lock.host)) {
        // A waiter that tried before was killed in between, and left the result.
        if (attempts > 0) quietly(() => rmSync(resultPath(lock, first.holder)));
        endHolding(lock, first.holder);
        if (++attempts === MOST_ATTEMPTS) return { end: 'without', text: '', countedMs };
      }
      const sinceMs = performance.now() - lookedAtMs;
      lookedAtMs += sinceMs;
      // A waiter that was itself suspended has looked only once in that time.
      if (now.isClockRunning) countedMs += Math.min(sinceMs, BEAT_MS);
      if (signal?.aborted || countedMs >= limitMs) return { end: 'late', text: '', countedMs };
      const pauseMs = Math.min(limitMs - countedMs, PAUSE_MS * (1 + Math.random()));
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
    }
  };
}

/** Reads the text that a holder left. */
function outcomeOf(lock: LockFile, holder: Look | undefined): Pick<Waited, 'end' | 'text'> {
  const text = quietly(() => read(resultPath(lock, holder?.holder)).bytes.toString()) ?? '';
  const isRenamedLock = text !== '' && text.split('\n')[0] === holder?.holder;
  return isRenamedLock ? { end: 'without', text: '' } : { end: 'released', text };
}

/** Tells if a holder is dead, or has given no sign of life for too long. */
function isGone(holder: string, inVain: number, { proc }: Host): boolean {
  const state = holderState(holder.slice(holder.indexOf(' ') + 1), proc);
  return state === 'dead' || inVain >= (state === 'running' ? LOOKS_AT_RUNNING : LOOKS_IN_VAIN);
}

function lookAt(path: string): Look | undefined {
  try {
    const { bytes, stat } = read(path);
    const [holder = '', ...more] = bytes.toString().split('\n');
    return { holder, isClockRunning: more.length === 0, touchedAtMs: stat.mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    // Windows lets nobody read a file that is just being removed: it has no holder that could be known.
    return { holder: '', isClockRunning: true, touchedAtMs: 0 };
  }
}

const read = (path: string) => readRegular(path, LONGEST_TEXT_BYTES, constants.O_NOFOLLOW);

function resultPath({ folder }: LockFile, holder = ''): string {
  const [id] = /^\w*/.exec(holder) ?? [];
  return join(folder, `${id}.result`);
}

/** Runs the work while holding the lock, waiting up to `waitMs` for it; without it if there can be none. */
export async function withLock<T>(
  folder: string,
  name: string,
  host: Host,
  waitMs: number,
  work: () => T | Promise<T>,
): Promise<T> {
  for (let leftMs = waitMs, canLock = true; ; ) {
    const lock: Lock | undefined = canLock ? tryLock(folder, name, host) : undefined;
    if (lock?.held !== false) {
      try {
        lock?.startClock();
        return await work();
      } finally {
        lock?.release();
      }
    }
    const { end, countedMs }: Waited = await lock.wait(leftMs);
    leftMs -= countedMs;
    canLock = end !== 'without';
    if (end === 'late') {
      const waited = `waited ${waitMs / 1000} s for another gwtoken process that is writing to ${folder}`;
      throw failure('local', waited, 'stop that process and try again');
    }
  }
}
