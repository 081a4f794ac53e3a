/** A folder of gwtoken's own as `doctor` shows it. */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type { FolderFacts } from '../../world/probes';
import type { Machine } from './paths';

export function probeFolder(path: string | undefined, { uid }: Machine): FolderFacts {
  if (path === undefined) {
    return {
      path,
      exists: false,
      writable: false,
      symlink: false,
      foreignUid: undefined,
      mode: undefined,
    };
  }
  const stat = lstat(path);
  const foreign = uid !== undefined && stat !== undefined && stat.uid !== 0 && stat.uid !== uid;
  return {
    path,
    exists: stat !== undefined,
    writable: isWritable(path),
    symlink: stat?.isSymbolicLink() ?? false,
    foreignUid: foreign ? stat.uid : undefined,
    mode: uid === undefined || stat === undefined ? undefined : stat.mode & 0o777,
  };
}

/** For one that does not exist: whether the nearest folder above takes it. */
function isWritable(path: string): boolean {
  for (let nearest = path; ; nearest = dirname(nearest)) {
    if (lstat(nearest) === undefined && nearest !== dirname(nearest)) continue;
    try {
      fs.accessSync(nearest, fs.constants.W_OK | fs.constants.X_OK);
      return fs.statSync(nearest).isDirectory();
    } catch {
      return false;
    }
  }
}

function lstat(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
