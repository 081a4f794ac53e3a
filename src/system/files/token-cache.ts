/**
 * Reads the token cache: one folder, 0700, with one 0600 file for each client. On the warm path, so `node:fs` alone;
 * writing is system/files/token-cache-writer.ts. What cannot be read is a miss: nothing here throws.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import type { Client } from '../../client';
import { systemCode } from '../../errors';
import type { CacheRead } from '../../world/files';
import { fileIn, type Machine } from './paths';

/** A token of 32 KiB, twice escaped, and room around it. */
const LIMIT = 256 * 1024;

/** Reads a client's entry. `untrusted` tells why the folder or file is not used, for a warning. */
export function readEntry(folder: string, client: Client, machine: Machine): CacheRead {
  try {
    const untrusted = folderProblem(folder, machine);
    return untrusted ? { untrusted } : readFile(entryPath(folder, client, machine), machine);
  } catch {
    return {};
  }
}

export function readFile(file: string, { uid }: Machine): CacheRead {
  // O_NOFOLLOW does not exist on Windows, where it is undefined and so no flag.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  let descriptor: number;
  try {
    descriptor = openSync(file, flags);
  } catch (error) {
    return systemCode(error) === 'ELOOP' ? { untrusted: `${file} is a symbolic link` } : {};
  }
  try {
    const stat = fstatSync(descriptor);
    const untrusted = uid === undefined ? undefined : ownershipProblem(file, stat, uid);
    if (untrusted) return { untrusted };
    return stat.isFile() && stat.size <= LIMIT ? { text: readFileSync(descriptor, 'utf8') } : {};
  } finally {
    closeSync(descriptor);
  }
}

/** Why the folder is not used: it is a link, someone else's, or others can write there. */
export function folderProblem(folder: string, { uid }: Machine): string | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return `${folder} is a symbolic link`;
  return uid === undefined ? undefined : ownershipProblem(folder, stat, uid);
}

function ownershipProblem(file: string, stat: Stats, uid: number): string | undefined {
  if (stat.uid !== uid) return `${file} belongs to another user (uid ${stat.uid})`;
  if ((stat.mode & 0o022) !== 0)
    return `${file} can be written by others (mode ${(stat.mode & 0o777).toString(8)})`;
  return undefined;
}

/** Unambiguous: a profile's name may have hyphens, the other two are fixed words. */
export function nameOf({ profile, environment, region }: Client): string {
  return `${profile}-${environment}-${region}`;
}

export function entryPath(folder: string, client: Client, { platform }: Machine): string {
  return fileIn(folder, `token-${nameOf(client)}.json`, platform);
}
