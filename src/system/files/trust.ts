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
import { GwtokenError, usage } from '../../errors';
import { systemCode } from '../../system-errors';
import { shellWord } from '../../text';
import type { DirectoryFacts, DirectoryKind } from '../../world';
import { type Host, ownDirectoryHint, writableDirectoryHint } from './paths';

type Owners = 'user' | 'user or root';

/** The allowed owners of files, the forbidden mode bits, the chmod that removes them, and their meaning. */
const RULES = {
  // Others may read the config.
  config: { owners: 'user or root', forbidden: 0o022, mode: 'go-w', meaning: 'writable by' },
  cache: { owners: 'user', forbidden: 0o077, mode: '700', meaning: 'accessible to' },
} as const;

/** Returns the `usage` error for an untrusted path; otherwise undefined. Only lstat() shows a link. */
export function trustProblem(
  path: string,
  stat: Stats,
  kind: DirectoryKind,
  host: Host,
): GwtokenError | undefined {
  if (host.uid === undefined) return undefined;
  const { owners, forbidden, mode, meaning } = RULES[kind];
  const problem = stat.isSymbolicLink() ? 'is a symbolic link' : ownerProblem(stat, owners, host);
  if (problem !== undefined) return notOwned(path, problem, kind);
  if ((stat.mode & forbidden) === 0) return undefined;
  // A ConfigMap of Kubernetes has mode 777. If the directory can be written to elsewhere, a file of another
  // user shows by its owner, but one with such a mode could be changed.
  if (kind === 'config' && stat.isDirectory() && isReadOnly(path)) return undefined;
  const text = `${path} is ${meaning} other users (mode ${(stat.mode & 0o777).toString(8)})`;
  return usage(text, [`run: chmod ${mode} ${shellWord(path)}`], 'open-to-others');
}

/** Returns whether nobody can write through this mount, whatever the mode is. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return systemCode(error) === 'EROFS';
  }
}

/** Returns why the owner is not trusted, as the end of a sentence that begins with the path. */
export function ownerProblem(stat: Stats, owners: Owners, { uid }: Host): string | undefined {
  const isTrusted = uid === undefined || stat.uid === uid || (stat.uid === 0 && owners === 'user or root');
  return isTrusted ? undefined : `belongs to another user (uid ${stat.uid})`;
}

function notOwned(path: string, problem: string, kind: DirectoryKind): GwtokenError {
  return usage(`${path} ${problem}`, [ownDirectoryHint(kind)]);
}

/**
 * Throws `usage` if a directory is not trusted, and the system's error if gwtoken cannot write there. A
 * missing directory must not be created below a directory of another user: `sudo gwtoken` would leave files
 * in a HOME that its user cannot change.
 */
export function assertUsable(kind: DirectoryKind, path: string, host: Host): void {
  const stat = (kind === 'cache' ? lstatSync : statSync)(path, { throwIfNoEntry: false });
  const existing = stat ? path : nearestDirectory(dirname(path));
  if (stat) {
    const problem = trustProblem(path, stat, kind, host);
    if (problem) throw problem;
  } else {
    const problem = ownerProblem(statSync(existing), 'user or root', host);
    if (problem !== undefined) throw notOwned(existing, problem, kind);
  }
  // The trailing separator makes a file in the directory's place an error.
  accessSync(`${existing}/`, constants.W_OK | constants.X_OK);
}

/** Returns the directory itself or, if it does not exist, the nearest one above it that does. */
function nearestDirectory(path: string): string {
  const above = dirname(path);
  return existsSync(path) || path === above ? path : nearestDirectory(above);
}

/** Creates a directory of gwtoken if it is missing. Throws as {@link assertUsable} does. */
export function prepareDirectory(kind: DirectoryKind, path: string, host: Host): void {
  assertUsable(kind, path, host);
  makeDirectory(path);
  // Another user may have created it in between.
  assertUsable(kind, path, host);
}

/** Creates a directory and its missing parents, mode 0700. Throws the system's error. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  // The option `recursive` would leave the parents' permissions to the umask.
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** Describes a directory for doctor. */
export function probeDirectory(kind: DirectoryKind, path: string | GwtokenError, host: Host): DirectoryFacts {
  try {
    if (typeof path !== 'string') throw path;
    assertUsable(kind, path, host);
    return { text: existsSync(path) ? path : `${path} (will be created)` };
  } catch (error) {
    if (error instanceof GwtokenError) return { text: error.message, hints: error.hints };
    return { text: `${path} is not writable`, hints: [writableDirectoryHint(kind)] };
  }
}
