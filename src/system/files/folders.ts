/** Folders of gwtoken's own: made, and shown by `doctor`. */
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
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors';
import type { FolderFacts } from '../../world/probes';
import { homeVariables, type Machine } from './paths';
import { distrust } from './trust';

/**
 * Makes a folder and those above it that are missing, mode 0700, whoever else is making them at the same time. Node's
 * own `recursive` never returns where the system says ENOENT although the folder above is there, as /proc does.
 */
export function makeFolder(path: string): void {
  const above = dirname(path);
  // Looked at first: after a refusal it would not be known whether another process has just made it.
  if (above !== path && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** @param which decides whose it may be, and whether it may be a link: the cache's may not */
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

function statOf(path: string, look: typeof lstatSync): Stats | undefined {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** For one that does not exist: whether the nearest folder above takes it. */
function isWritable(path: string, machine: Machine): boolean {
  try {
    const above = dirname(path);
    if (path !== above && lstatSync(path, { throwIfNoEntry: false }) === undefined)
      return isWritable(above, machine);
    checkWritable(path, machine);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** @throws the system's error where nothing can be made in the folder */
export function checkWritable(folder: string, { platform }: Machine): void {
  accessSync(folder, constants.W_OK | constants.X_OK);
  // On Windows that looks at the read-only mark alone: what the access lists say shows when something is made.
  if (platform === 'win32') rmdirSync(mkdtempSync(join(folder, 'gwtoken-')));
}
