/**
 * The token cache: one directory, 0700, with one 0600 file per client. Reading is on the warm path: only `node:fs`. What
 * cannot be read is a miss, and what cannot be written costs the sharing, never the token: nothing here throws.
 */
import { constants, lstatSync, readdirSync, rmSync } from 'node:fs';
import { type Client, parseClientName } from '../../client';
import { systemCode } from '../../errors';
import type { CacheRead, Turn } from '../../world';
import { fileIn, type Machine } from './paths';
import { readRegular } from './read-file';
import { replaceFile, sweepOld, uniqueName } from './replace';
import { distrust, makeFolder } from './trust';

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

/** Reads a file of the cache; empty if there is none that can be used. */
export function readFile(file: string, machine: Machine): CacheRead {
  try {
    const { bytes, stat } = readRegular(file, LIMIT, constants.O_NOFOLLOW);
    const untrusted = distrust(stat, 'user', machine);
    return untrusted ? { untrusted: `${file} ${untrusted.text}` } : { text: bytes.toString() };
  } catch (error) {
    return systemCode(error) === 'ELOOP' ? { untrusted: `${file} is a symbolic link` } : {};
  }
}

/** Why the directory is not used. One that does not exist yet is no problem. */
export function folderProblem(folder: string, machine: Machine): string | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const untrusted = stat && distrust(stat, 'user', machine);
  return untrusted && `${folder} ${untrusted.text}`;
}

/** Unambiguous although a profile's name may contain hyphens: the other two are fixed words. */
function nameOf({ profile, environment, region }: Client): string {
  return `${profile}-${environment}-${region}`;
}

/** The file with the generation of a client's tokens; there is none before the first login. */
export function generationPath(folder: string, client: Client, { platform }: Machine): string {
  return fileIn(folder, `generation-${nameOf(client)}`, platform);
}

export function entryPath(folder: string, client: Client, { platform }: Machine): string {
  return fileIn(folder, `token-${nameOf(client)}.json`, platform);
}

/** Writes an entry. Returns the system's error code if it cannot. */
export function writeEntry(
  folder: string,
  client: Client,
  machine: Machine,
  text: string,
): string | undefined {
  const file = entryPath(folder, client, machine);
  const problem = trustedFolder(folder, machine);
  if (problem !== undefined) return problem;
  try {
    if (readFile(file, machine).untrusted) return 'EUNTRUSTED';
    sweepOld(folder, /^(token|generation)-.*\.tmp$/);
    sweepTokenFiles(folder);
    replaceFile(file, text, machine);
    return undefined;
  } catch (error) {
    return systemCode(error) ?? 'UNKNOWN';
  }
}

/** Removes what an `exec --token-file` that was killed left, which touched its file every 30 s, nights excepted. */
export function sweepTokenFiles(folder: string): void {
  sweepOld(folder, /^exec-[0-9a-f]{16}(\.\w+\.tmp)?$/, 24 * 3600 * 1000);
}

function trustedFolder(folder: string, machine: Machine): string | undefined {
  try {
    if (folderProblem(folder, machine)) return 'EUNTRUSTED';
    makeFolder(folder, machine);
    return undefined;
  } catch (error) {
    return systemCode(error) ?? 'UNKNOWN';
  }
}

/** Removes the entries of the clients that pass. One that stays is not used: it is of other credentials or an earlier generation. */
export function removeEntries(folder: string, machine: Machine, passes: (client: Client) => boolean): void {
  try {
    for (const file of readdirSync(folder)) {
      const client = clientOf(file);
      if (client && passes(client)) remove(fileIn(folder, file, machine.platform));
    }
  } catch {
    // There is none, or nobody can read what is in it.
  }
}

/** Begins a new generation of a client's tokens, and removes the entry of the previous one. */
export function renewGeneration(folder: string, client: Client, machine: Machine): readonly string[] {
  try {
    if (trustedFolder(folder, machine) === undefined)
      replaceFile(generationPath(folder, client, machine), uniqueName(), machine);
  } catch {
    // If this cannot be written, no request can store a token either; an existing one is reported below.
  }
  return remove(entryPath(folder, client, machine));
}

function remove(path: string): readonly string[] {
  try {
    rmSync(path, { force: true });
    return [];
  } catch (error) {
    const code = systemCode(error);
    return code === 'ENOTDIR' ? [] : [`${path} (${code})`];
  }
}

function clientOf(file: string): Client | undefined {
  const [, ...parts] = /^token-(.+)-([a-z]+)-([a-z]+)\.json$/.exec(file) ?? [];
  return parseClientName(parts.join(':'));
}

/**
 * Takes the turn at the endpoint for a client with these credentials; undefined if there can be no turns in this
 * directory.
 */
export async function takeTurn(
  folder: string,
  client: Client,
  whose: string,
  machine: Machine,
): Promise<Turn | undefined> {
  if (trustedFolder(folder, machine) !== undefined) return undefined;
  const { tryLock } = await import('./lock');
  return tryLock(folder, `${nameOf(client)}-${whose}`, machine);
}
