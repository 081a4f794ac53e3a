/**
 * Who holds a lock, as files say it: `.locks/NAME.lock` names the holder by a random id, and `.locks/ID.sock` is what it
 * listens on. Both lie in a folder that no other user can look into, whatever the modes of the folder above are, so
 * nobody else can learn of a lock, wait for it or take it away.
 *
 * A holder's files are removed by whoever succeeds in removing its socket, and by nobody else: the system lets only one
 * succeed, so a holder that comes back to life, or one who passes over it late, never takes a successor's away.
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

/** Where the lock `name` of a folder is. */
export interface LockPlace {
  /** The folder of the locks themselves. */
  readonly folder: string;
  readonly name: string;
  /** Windows has named pipes instead of socket files, and symbolic links for administrators alone. */
  readonly isWindows: boolean;
}

/**
 * What a holder is called: nobody can guess it, and only half of it goes into a pipe's name. Where /proc can tell how a
 * process does, its id is the end.
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
 * Whether the holder's process has work and waits for a processor or a disk. Where two hundred start at once one may wait for
 * seconds, without a sign of life, and is not frozen.
 */
export function isBusy(holder: string): boolean {
  const [, pid] = HOLDER.exec(holder) ?? [];
  return pid !== undefined && ['R', 'D'].includes(procStat(Number(pid))?.state ?? '');
}

/** A socket that no lock names is a holder's that was killed before it had the lock, or just after it let go. */
const STALE_MS = 60_000;

/** Makes the folder of the locks; undefined where there can be none that is the user's alone. */
export function lockPlace(above: string, name: string, machine: Machine): LockPlace | undefined {
  const isWindows = machine.platform === 'win32';
  const folder = join(above, '.locks');
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
    // The folder above is made, and judged, by those who keep something in it.
    lstatSync(above);
    makeFolder(folder);
  }
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || distrust(stat, 'user', machine)) return undefined;
  if (!isWindows && (stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return { folder, name, isWindows };
}

/** The holder's id; undefined when nobody holds the lock. */
export function holderOf(place: LockPlace): string | undefined {
  const path = lockFile(place);
  let holder: string;
  try {
    holder = place.isWindows ? readFileSync(path, 'latin1') : readlinkSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    holder = '';
  }
  if (HOLDER.test(holder)) return holder;
  // Not ours, or lost its content in a crash of the machine.
  rmSync(path, { force: true });
  return undefined;
}

/** Takes the lock for a holder that listens already; false when another has been quicker. */
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
 * Ends a holder's time: its own at the end of its work, or that of one which is dead or frozen. Who comes too late does
 * nothing.
 *
 * @param isHalfGone the socket is gone and the lock still names it: who removed the one was killed before the other
 */
export function removeHolder(place: LockPlace, holder: string, isHalfGone = false): void {
  try {
    if (!isHalfGone) unlinkSync(socketFile(place, holder));
    if (holderOf(place) === holder) unlinkSync(lockFile(place));
  } catch {
    // Another has done it.
  }
}

/** sun_path holds 104 bytes on macOS and the BSDs, its end included. */
const LONGEST_ADDRESS = 103;

/** Lets `use` have the address that a holder listens on: by way of a link where the path is too long for a socket. */
export async function withAddress<T>(
  place: LockPlace,
  holder: string,
  use: (address: string) => Promise<T>,
): Promise<T> {
  if (place.isWindows) return await use(`\\\\.\\pipe\\gwtoken-${holder.slice(0, 16)}`);
  const path = socketFile(place, holder);
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS) return await use(path);
  // Only for a moment, and under a name that nobody can guess: the temporary folder may be everybody's.
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

function sweep(place: LockPlace): void {
  const files = readdirSync(place.folder);
  const named = files
    .filter((file) => file.endsWith('.lock'))
    .map((file) => `${holderOf({ ...place, name: file.slice(0, -'.lock'.length) })}.sock`);
  for (const file of files) {
    if (!file.endsWith('.sock') || named.includes(file)) continue;
    const left = join(place.folder, file);
    const stat = lstatSync(left, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > STALE_MS) rmSync(left, { force: true });
  }
}
