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
import type { Untrusted } from '../../causes';
import { messageOf, orUndefined } from '../../errors';
import { systemCode } from '../../system-errors';
import { shellWord } from '../../text';
import type { DirectoryFacts } from '../../world';
import { type DirectoryKind, directoryVariable, type Host, noHome } from './paths';

type Owners = 'user' | 'user or root';

/** Reason why a file or directory is not used. */
export interface FileProblem {
  /** End of a sentence that begins with its path: `is writable by other users (mode 777)`. */
  readonly text: string;
  readonly cause: Untrusted;
}

/** The allowed owners of files, the forbidden mode bits, the chmod that removes them, and their meaning. */
const RULES = {
  // Others may read the config.
  config: { owners: 'user or root', forbidden: 0o022, mode: 'go-w', meaning: 'writable by' },
  cache: { owners: 'user', forbidden: 0o077, mode: '700', meaning: 'accessible to' },
} as const;

/** Returns why a file or directory is not trusted; undefined if it is. Only lstat() shows a link. */
export function trustProblem(
  path: string,
  stat: Stats,
  kind: DirectoryKind,
  host: Host,
): FileProblem | undefined {
  if (host.uid === undefined) return undefined;
  const { owners, forbidden, mode, meaning } = RULES[kind];
  const variable = directoryVariable(kind);
  const problem = stat.isSymbolicLink() ? 'is a symbolic link' : ownerProblem(stat, owners, host);
  if (problem !== undefined) return { text: problem, cause: { reason: 'untrusted', variable } };
  if ((stat.mode & forbidden) === 0) return undefined;
  const text = `is ${meaning} other users (mode ${(stat.mode & 0o777).toString(8)})`;
  return { text, cause: { reason: 'untrusted', variable, chmod: `chmod ${mode} ${shellWord(path)}` } };
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
  if (path === undefined) return { text: 'no home directory', problem: noHome(which, host) };
  const variable = directoryVariable(which);
  const stat = orUndefined(() => (which === 'cache' ? lstatSync : statSync)(path));
  const distrust = stat && trustProblem(path, stat, which, host);
  if (distrust) return { text: `${path} ${distrust.text}`, problem: distrust.cause };
  try {
    assertCreatable(path, host);
    return { text: stat ? path : `${path} (will be created)` };
  } catch (error) {
    if (systemCode(error) === 'EUNTRUSTED')
      return { text: messageOf(error), problem: { reason: 'untrusted', variable } };
    return { text: `${path} is not writable`, problem: { reason: 'directory-not-writable', variable } };
  }
}
