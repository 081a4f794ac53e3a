/**
 * A lock between processes: a file with the name of its holder, who touches it twice a second. After three
 * seconds without a touch, waiters consider the holder dead, and one of them removes the file. A holder that
 * was only suspended finds another name when it resumes and leaves the file alone; both did the work.
 */
import { constants, lstatSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { GwtokenError, orUndefined } from '../../errors';
import { type HeldLock, type Lock, type OthersLock, withHeldLock } from '../../lock';
import { systemCode } from '../../system-errors';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { retryWhileBusy, uniqueName } from './replace';

const BEAT_MS = 500;
const DEAD_AFTER_MS = 3000;
/** Pauses between two reads of the lock. They grow, so that many waiters do not slow the holder down. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 200;
const LONGEST_NAME_BYTES = 100;

/** Takes the lock, or returns its holder's lock to wait for; undefined if locks do not work here. */
export function tryLock(path: string, host: Host): Lock | undefined {
  const holder = uniqueName();
  return orUndefined(() => {
    if (create(path, holder, host)) return hold(path, holder, host);
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === false ? undefined : waitFor(path, host);
  });
}

/** Creates a file, or returns false if it exists. Throws the system's error. */
function create(path: string, text: string, host: Host): boolean {
  try {
    retryWhileBusy(() => writeFileSync(path, text, { flag: 'wx', mode: 0o600 }), host);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // On a full disk, the file is created but not written. If opening failed, the file is another process's.
    if ((error as NodeJS.ErrnoException).syscall !== 'open') rmSync(path, { force: true });
    throw error;
  }
}

/** Touches the lock until it is released. Does nothing to the file once another process holds the lock. */
function hold(path: string, holder: string, host: Host): HeldLock {
  const isHeld = (): boolean => readLock(path)?.holder === holder;
  const ifOwn = (work: () => void): void => {
    if (isHeld()) orUndefined(work);
  };
  const touch = (): void => ifOwn(() => utimesSync(path, new Date(), new Date()));
  const beat = setInterval(touch, BEAT_MS).unref();
  const release = (): void => {
    clearInterval(beat);
    ifOwn(() => retryWhileBusy(() => unlinkSync(path), host));
  };
  return { held: true, isHeld, release };
}

/** Stands for a name that cannot be read: the file was just created, or Windows is just removing it. */
const UNNAMED = '';

function waitFor(path: string, host: Host): OthersLock {
  /**
   * Time without a touch: adds up the pauses of this waiter. A clock can be set, and a machine that starves
   * the waiter starves the holder too.
   */
  let silentMs = 0;
  let lastSeen = readLock(path);
  /** Returns the holder to wait for; undefined once that holder has released the lock. */
  const observe = (): string | undefined => {
    const current = readLock(path);
    if (current === undefined || lastSeen === undefined) return undefined;
    if (current.holder !== lastSeen.holder && lastSeen.holder !== UNNAMED) return undefined;
    if (current.touchedAtMs !== lastSeen.touchedAtMs) silentMs = 0;
    lastSeen = current;
    return current.holder;
  };
  const wait: OthersLock['wait'] = async (limitMs, signal) => {
    const startedAtMs = performance.now();
    for (let holder = observe(); holder !== undefined; holder = observe()) {
      if (silentMs >= DEAD_AFTER_MS && removeDead(path, holder, host)) break;
      // If nobody can remove the file, waiting is useless.
      if (silentMs >= 2 * DEAD_AFTER_MS) break;
      const waitedMs = performance.now() - startedAtMs;
      if (signal?.aborted || waitedMs >= limitMs) return 'late';
      const pauseMs = Math.min(FIRST_PAUSE_MS + waitedMs / 8, LONGEST_PAUSE_MS) * (1 + Math.random());
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
      silentMs += pauseMs;
    }
    return 'released';
  };
  return { held: false, wait };
}

/**
 * Removes a dead holder's lock and returns whether it is gone. Only the waiter that creates the claim file
 * removes the lock: otherwise a second waiter would remove the new lock of the first.
 */
function removeDead(path: string, dead: string, host: Host): boolean {
  const claim = `${path}.claim`;
  orUndefined(() => {
    const isMine = create(claim, '', host);
    if (isMine && readLock(path)?.holder === dead) rmSync(path);
    // An old claim belongs to a waiter that was killed in between.
    if (isMine || Math.abs(Date.now() - lstatSync(claim).mtimeMs) > DEAD_AFTER_MS) rmSync(claim);
  });
  return readLock(path)?.holder !== dead;
}

/** Returns the holder or UNNAMED, with the time of its last touch; undefined if nobody holds the lock. */
function readLock(path: string): { readonly holder: string; readonly touchedAtMs: number } | undefined {
  try {
    const { bytes, stat } = readRegular(path, LONGEST_NAME_BYTES, constants.O_NOFOLLOW);
    return { holder: bytes.toString(), touchedAtMs: stat.mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    return { holder: UNNAMED, touchedAtMs: 0 };
  }
}

/**
 * Runs the work while holding the lock, or without the lock if locks do not work here. Throws `local`
 * if another process holds the lock for longer than `limitMs`.
 */
export async function withLock<T>(path: string, host: Host, limitMs: number, work: () => T): Promise<T> {
  const giveUpAtMs = performance.now() + limitMs;
  for (;;) {
    const lock = tryLock(path, host);
    if (lock === undefined) return await work();
    if (lock.held) return await withHeldLock(lock, work);
    if ((await lock.wait(giveUpAtMs - performance.now())) !== 'late') continue;
    const waited = `waited ${limitMs / 1000} s for another gwtoken process that holds ${path}`;
    throw new GwtokenError('local', waited, ['stop that process and try again']);
  }
}
