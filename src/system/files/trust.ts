/** Decides by owner and mode whether files are trusted. On Windows, access lists decide instead. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { orUndefined, systemCode } from '../../errors';
import type { DirectoryFacts, FileProblem } from '../../world';
import type { DirectoryKind, Host } from './paths';

/** `user` for the cache, which others may not open; `user or root` for the config, which others may read. */
type Owners = 'user' | 'user or root';

/** Mode bits that others may not have, the chmod that removes them, and their meaning in messages. */
const MODES = {
  user: { forbidden: 0o077, chmod: '700', meaning: 'accessible to' },
  'user or root': { forbidden: 0o022, chmod: 'go-w', meaning: 'writable by' },
} as const;

/** Returns why a file or directory is not trusted; undefined if it is. Only lstat() shows a link. */
export function trustProblem(stat: Stats, owners: Owners, host: Host): FileProblem | undefined {
  if (host.uid === undefined) return undefined;
  if (stat.isSymbolicLink()) return { text: 'is a symbolic link', chmod: undefined };
  const problem = ownerProblem(stat, owners, host);
  if (problem !== undefined) return { text: problem, chmod: undefined };
  const { forbidden, chmod, meaning } = MODES[owners];
  if ((stat.mode & forbidden) === 0) return undefined;
  return { text: `is ${meaning} other users (mode ${(stat.mode & 0o777).toString(8)})`, chmod };
}

/** Returns why the owner is not trusted, as the end of a sentence that begins with the path. */
export function ownerProblem(stat: Stats, owners: Owners, { uid }: Host): string | undefined {
  const isTrusted = uid === undefined || stat.uid === uid || (stat.uid === 0 && owners === 'user or root');
  return isTrusted ? undefined : `belongs to another user (uid ${stat.uid})`;
}

/** Returns the error for an untrusted path, with a code like those of the system. */
export function untrusted(path: string, problem: string): Error {
  return Object.assign(new Error(`${path} ${problem}`), { code: 'EUNTRUSTED' });
}

/** Creates a directory and its missing parents, mode 0700. Throws the system's error. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  // Avoids `recursive`, with which mkdirSync() never returns for a path below /proc.
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    // The umask may have removed the user's own permissions.
    chmodSync(path, 0o700);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Throws the system's error if a directory is not writable or cannot be created, and EUNTRUSTED if it or the
 * nearest directory above it belongs to another user: `sudo gwtoken` would leave files in a HOME that its
 * user cannot change.
 */
export function assertCreatable(path: string, host: Host): void {
  const directory = nearestDirectory(path);
  const problem = ownerProblem(statSync(directory), 'user or root', host);
  if (problem !== undefined) throw untrusted(directory, problem);
  // The trailing separator makes a file in the directory's place an error.
  accessSync(`${directory}/`, constants.W_OK | constants.X_OK);
}

/** Returns the directory itself or, if it does not exist, the nearest one above it that does. */
function nearestDirectory(path: string): string {
  const above = dirname(path);
  return existsSync(path) || path === above ? path : nearestDirectory(above);
}

/** Describes a directory for doctor. */
export function probeDirectory(which: DirectoryKind, path: string | undefined, host: Host): DirectoryFacts {
  if (path === undefined) return { path, exists: false, problem: undefined };
  const stat = orUndefined(() => (which === 'cache' ? lstatSync : statSync)(path));
  const distrust = stat && trustProblem(stat, which === 'cache' ? 'user' : 'user or root', host);
  const isWritable = orUndefined(() => {
    assertCreatable(path, host);
    return true;
  });
  const unwritable = isWritable ? undefined : { text: 'is not writable', chmod: undefined };
  return { path, exists: stat !== undefined, problem: distrust ?? unwritable };
}
