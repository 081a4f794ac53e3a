/**
 * A lock between processes: a file that names its holder, who touches it twice a second. Waiters that see no
 * touch for three seconds take the holder for dead, and one of them removes its file. A holder that was only
 * frozen finds another name in it when it wakes up, and leaves it alone: two have done the same work.
 */
import { constants, lstatSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure, orUndefined, systemCode } from '../../errors';
import { withHeldLock } from '../../waiting';
import type { Lock, OthersLock } from '../../world';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { retryWhileBusy, uniqueName } from './replace';

const BEAT_MS = 500;
const DEAD_AFTER_MS = 3000;
/** Pauses between two looks, which grow: many waiters that look often take the processor from the holder. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 200;
const LONGEST_NAME_BYTES = 100;

/** Takes the lock, or joins those who wait for it; undefined if there can be none. */
export function tryLock(path: string, host: Host): Lock | undefined {
  const holder = uniqueName();
  return orUndefined(() => {
    if (create(path, holder, host)) return hold(path, holder, host);
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === false ? undefined : waitFor(path, host);
  });
}

/** Creates a file; returns false if it is there already. Throws the system's error. */
function create(path: string, text: string, host: Host): boolean {
  try {
    retryWhileBusy(() => writeFileSync(path, text, { flag: 'wx', mode: 0o600 }), host);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    // On a full disk it was created, and could not be written. One that could not be opened is not ours.
    if ((error as NodeJS.ErrnoException).syscall !== 'open') rmSync(path, { force: true });
    throw error;
  }
}

function hold(path: string, holder: string, host: Host): Lock {
  const isOwn = (): boolean => lookAt(path)?.holder === holder;
  const touch = () => orUndefined(() => isOwn() && utimesSync(path, new Date(), new Date()));
  const beat = setInterval(touch, BEAT_MS).unref();
  const release = (): void => {
    clearInterval(beat);
    orUndefined(() => isOwn() && retryWhileBusy(() => rmSync(path), host));
  };
  return { held: true, release };
}

/** Returns the function that waits for the holder that is there now; see {@link OthersLock}. */
function waitFor(path: string, host: Host): OthersLock {
  let seen = lookAt(path);
  const wait: OthersLock['wait'] = async (limitMs, signal) => {
    const startedAtMs = performance.now();
    let unchangedMs = 0;
    for (;;) {
      const current = lookAt(path);
      // A lock that was just created may not have its holder's name yet.
      const isAnother = current?.holder !== seen?.holder && seen?.holder !== '';
      // After a long silence another waiter has removed a dead holder's file.
      if (current === undefined || isAnother) return unchangedMs > DEAD_AFTER_MS / 2 ? 'dead' : 'released';
      if (current.touchedAtMs !== seen?.touchedAtMs) unchangedMs = 0;
      seen = current;
      if (unchangedMs >= DEAD_AFTER_MS && removeDead(path, current.holder, host)) return 'dead';
      // Nobody can remove it: there is nothing to wait for.
      if (unchangedMs >= 2 * DEAD_AFTER_MS) return 'released';
      const waitedMs = performance.now() - startedAtMs;
      if (signal?.aborted || waitedMs >= limitMs) return 'late';
      const pauseMs = Math.min(FIRST_PAUSE_MS + waitedMs / 8, LONGEST_PAUSE_MS) * (1 + Math.random());
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
      // By no clock: it can be set, and where a waiter gets no processor, a holder gets none either.
      unchangedMs += pauseMs;
    }
  };
  return { held: false, wait };
}

/**
 * Removes a dead holder's lock: only who creates the claim may, or they would remove each other's. Returns
 * whether the lock is gone.
 */
function removeDead(path: string, dead: string, host: Host): boolean {
  const claim = `${path}.claim`;
  orUndefined(() => {
    const isMine = create(claim, '', host);
    if (isMine && lookAt(path)?.holder === dead) rmSync(path);
    // A claim that is this old is of a process that was killed over it.
    if (isMine || Math.abs(Date.now() - lstatSync(claim).mtimeMs) > DEAD_AFTER_MS) rmSync(claim);
  });
  return lookAt(path)?.holder !== dead;
}

function lookAt(path: string): { readonly holder: string; readonly touchedAtMs: number } | undefined {
  try {
    const { bytes, stat } = readRegular(path, LONGEST_NAME_BYTES, constants.O_NOFOLLOW);
    return { holder: bytes.toString(), touchedAtMs: stat.mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    // Windows lets nobody read a file that is just being removed.
    return { holder: '', touchedAtMs: 0 };
  }
}

/** Runs the work while holding the lock, waiting up to `limitMs` for it; without it if there can be none. */
export async function withLock<T>(
  path: string,
  host: Host,
  limitMs: number,
  work: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const giveUpAtMs = performance.now() + limitMs;
  for (;;) {
    const lock = tryLock(path, host);
    if (lock === undefined) return await work();
    if (lock.held) return await withHeldLock(lock.release, signal, work);
    if ((await lock.wait(giveUpAtMs - performance.now(), signal)) !== 'late') continue;
    signal?.throwIfAborted();
    const waited = `waited ${limitMs / 1000} s for another gwtoken process that holds ${path}`;
    throw failure('local', waited, 'stop that process and try again');
  }
}
