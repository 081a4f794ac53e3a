/**
 * Who holds a lock, in files: `.locks/NAME.lock` contains the holder's random ID, and `.locks/ID.sock` is the socket
 * that it listens on. Both are in a directory that no other user can read, whatever the modes of the directory above
 * are, so nobody else can see a lock, wait for it or remove it.
 *
 * A holder's files are removed only by the process that succeeds in removing its socket: the system lets only one
 * succeed, so a holder that wakes up, or a waiter that gives up on it late, never removes its successor's.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../../errors';
import { procStat } from '../processes/proc-stat';
import { makeFolder } from './folders';
import type { Machine } from './paths';
import { distrust } from './trust';

/** Where the lock `name` of a directory is. */
export interface LockPlace {
  /** The locks' own directory. */
  readonly folder: string;
  readonly name: string;
  /** Windows has named pipes instead of socket files, and symbolic links only for administrators. */
  readonly isWindows: boolean;
}

/**
 * The holder's ID: nobody can guess it, and only half of it is in a pipe's name. Where there is a /proc with the state
 * of a process, it ends with the process ID.
 */
export function newHolder(): string {
  const id = randomBytes(16).toString('hex');
  try {
    return `${id}-${readlinkSync('/proc/self')}`;
  } catch {
    return id;
  }
}
const HOLDER = /^[0-9a-f]{32}(?:-(\d+))?$/;

/**
 * Whether the holder's process is waiting for a CPU or a disk. If two hundred start at once, one may wait for
 * seconds, without a sign of life, although it is not frozen.
 */
export function isBusy(holder: string): boolean {
  const [, pid] = HOLDER.exec(holder) ?? [];
  return pid !== undefined && ['R', 'D'].includes(procStat(Number(pid))?.state ?? '');
}

/** A socket without a lock belongs to a holder that was killed before it had the lock, or just after its release. */
const STALE_MS = 60_000;

/** Creates the locks' directory; undefined if there can be none that belongs only to the user. */
export function lockPlace(above: string, name: string, machine: Machine): LockPlace | undefined {
  const isWindows = machine.platform === 'win32';
  const folder = join(above, '.locks');
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
    // The directory above is created, and checked, by those who store something in it.
    lstatSync(above);
    makeFolder(folder, machine);
  }
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || distrust(stat, 'user', machine)) return undefined;
  if (!isWindows && (stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return { folder, name, isWindows };
}

/** The holder's ID; undefined if nobody holds the lock. */
export function holderOf(place: LockPlace): string | undefined {
  const path = lockFile(place);
  let holder: string;
  try {
    holder = place.isWindows ? readFileSync(path, 'latin1') : readlinkSync(path);
  } catch (error) {
    // There is none. Or Windows lets nobody read a file that is just being made or removed.
    if (systemCode(error) !== 'EINVAL') return undefined;
    holder = '';
  }
  if (HOLDER.test(holder)) return holder;
  // Not ours, or emptied by a crash of the machine.
  rmSync(path, { force: true });
  return undefined;
}

/** Takes the lock for a holder that already listens; false if another process was quicker. */
export function claim(place: LockPlace, holder: string): boolean {
  const socket = socketFile(place, holder);
  try {
    if (place.isWindows) {
      writeFileSync(socket, holder, { flag: 'wx' });
      linkSync(socket, lockFile(place));
    } else symlinkSync(holder, lockFile(place));
  } catch (error) {
    rmSync(socket, { force: true });
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  sweep(place);
  return true;
}

/**
 * Removes a holder: itself at the end of its work, or one that is dead or frozen. Does nothing if
 * another process has done it.
 *
 * @param isHalfGone the socket is gone but the lock is not: the process that removed the socket was killed in between
 */
export function removeHolder(place: LockPlace, holder: string, isHalfGone = false): void {
  try {
    if (!isHalfGone) unlinkSync(socketFile(place, holder));
    if (holderOf(place) === holder) unlinkSync(lockFile(place));
  } catch {
    // Another has done it.
  }
}

/** sun_path has 104 bytes on macOS and the BSDs, including the final NUL. */
const LONGEST_ADDRESS = 103;

/** Passes the holder's socket address to `use`; by way of a link if the path is too long for a socket. */
export async function withAddress<T>(
  place: LockPlace,
  holder: string,
  use: (address: string) => Promise<T>,
): Promise<T> {
  if (place.isWindows) return await use(`\\\\.\\pipe\\gwtoken-${holder.slice(0, 16)}`);
  const path = socketFile(place, holder);
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS) return await use(path);
  // Only for a moment, and under a name that nobody can guess: the temporary directory may be shared.
  const short = join(tmpdir(), `gwtoken-${randomBytes(8).toString('hex')}`);
  symlinkSync(place.folder, short);
  try {
    return await use(`${short}/${holder}.sock`);
  } finally {
    rmSync(short, { force: true });
  }
}

function lockFile({ folder, name }: LockPlace): string {
  return join(folder, `${name}.lock`);
}

function socketFile({ folder }: LockPlace, holder: string): string {
  return join(folder, `${holder}.sock`);
}

/** Nothing here throws: the lock is held already, and the next holder tries again. */
function sweep(place: LockPlace): void {
  try {
    const files = readdirSync(place.folder);
    const named = files
      .filter((file) => file.endsWith('.lock'))
      .map((file) => `${holderOf({ ...place, name: file.slice(0, -'.lock'.length) })}.sock`);
    for (const file of files) {
      if (!file.endsWith('.sock') || named.includes(file)) continue;
      const left = join(place.folder, file);
      if (Date.now() - lstatSync(left).mtimeMs > STALE_MS) rmSync(left);
    }
  } catch {
    // Another process has removed it, or has it open.
  }
}
