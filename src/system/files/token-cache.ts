/**
 * Reads the token cache: one directory, 0700, with one 0600 file per client. On the warm path, so only `node:fs`;
 * writing is system/files/token-cache-writer.ts. What cannot be read is a miss: nothing here throws.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import type { Client } from '../../client';
import { systemCode } from '../../errors';
import type { CacheRead } from '../../world';
import { fileIn, type Machine } from './paths';
import { distrust } from './trust';

/** A token of 32 KiB, escaped twice, and some room. */
const LIMIT = 256 * 1024;

/** Reads a client's entry. `untrusted` says why the directory or file is not used, for a warning. */
export function readEntry(folder: string, client: Client, machine: Machine): CacheRead {
  try {
    const untrusted = folderProblem(folder, machine);
    if (untrusted) return { untrusted };
    const { text: generation = '' } = readFile(generationPath(folder, client, machine), machine);
    return { generation, ...readFile(entryPath(folder, client, machine), machine) };
  } catch {
    return {};
  }
}

export function readFile(file: string, machine: Machine): CacheRead {
  // The last two do not exist on Windows, where they are undefined and so no flags.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let descriptor: number;
  try {
    descriptor = openSync(file, flags);
  } catch (error) {
    return systemCode(error) === 'ELOOP' ? { untrusted: `${file} is a symbolic link` } : {};
  }
  try {
    const stat = fstatSync(descriptor);
    const untrusted = distrust(stat, 'user', machine);
    if (untrusted) return { untrusted: `${file} ${untrusted.text}` };
    return stat.isFile() && stat.size <= LIMIT ? { text: readFileSync(descriptor, 'utf8') } : {};
  } finally {
    closeSync(descriptor);
  }
}

/** Why the directory is not used. One that does not exist yet is no problem. */
export function folderProblem(folder: string, machine: Machine): string | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const untrusted = stat && distrust(stat, 'user', machine);
  return untrusted && `${folder} ${untrusted.text}`;
}

/** Unambiguous although a profile's name may contain hyphens: the other two are fixed words. */
export function nameOf({ profile, environment, region }: Client): string {
  return `${profile}-${environment}-${region}`;
}

/** The file with the generation of a client's tokens; there is none before the first login. */
export function generationPath(folder: string, client: Client, { platform }: Machine): string {
  return fileIn(folder, `generation-${nameOf(client)}`, platform);
}

export function entryPath(folder: string, client: Client, { platform }: Machine): string {
  return fileIn(folder, `token-${nameOf(client)}.json`, platform);
}
