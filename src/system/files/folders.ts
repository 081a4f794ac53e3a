/** gwtoken's own directories: creates them, and inspects them for `doctor`. */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../../errors';
import type { FolderFacts } from '../../world';
import { homeVariables, type Machine } from './paths';
import { distrust } from './trust';

/**
 * Creates a directory and its missing parents, mode 0700, even if other processes create them at the same time. Node's
 * own `recursive` never returns if the system says ENOENT although the parent exists, as in /proc.
 *
 * @throws the system's error; ENOENT for the home directory, which is not gwtoken's to create
 */
export function makeFolder(path: string, machine: Machine): void {
  if (isHome(path, machine) && !existsSync(path))
    throw Object.assign(new Error(`the home directory ${path} does not exist`), { code: 'ENOENT' });
  const above = dirname(path);
  // Checked first: after a failure we would not know whether another process has just created it.
  if (above !== path && !existsSync(above)) makeFolder(above, machine);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** Whether a path is the user's HOME. */
function isHome(path: string, { env }: Machine): boolean {
  const home = env?.['HOME'];
  return Boolean(home) && resolve(path) === resolve(String(home));
}

/** @param which decides who may own it, and whether it may be a link (the cache may not) */
export function probeFolder(
  which: 'config' | 'cache',
  path: string | undefined,
  machine: Machine,
): FolderFacts {
  const stat = path === undefined ? undefined : statOf(path, which === 'cache' ? lstatSync : statSync);
  return {
    path,
    variables: homeVariables(which, machine.platform),
    exists: stat !== undefined,
    writable: path !== undefined && isWritable(path, machine),
    untrusted: stat && distrust(stat, which === 'cache' ? 'user' : 'user or root', machine),
    mode: stat && machine.uid !== undefined ? stat.mode & 0o777 : undefined,
  };
}

function statOf(path: string, look: (path: string) => Stats): Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined;
  }
}

/** For a directory that does not exist: whether it can be created. */
function isWritable(path: string, machine: Machine): boolean {
  try {
    const above = dirname(path);
    if (path !== above && lstatSync(path, { throwIfNoEntry: false }) === undefined)
      return !isHome(path, machine) && isWritable(above, machine);
    checkWritable(path, machine);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** @throws the system's error if nothing can be created in the directory */
export function checkWritable(folder: string, { platform }: Machine): void {
  accessSync(folder, constants.W_OK | constants.X_OK);
  // On Windows that checks only the read-only flag; the access lists take effect when something is created.
  if (platform === 'win32') rmdirSync(mkdtempSync(join(folder, 'gwtoken-')));
}
