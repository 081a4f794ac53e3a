/**
 * Writes the token cache, and manages the turns to fill it. Failures cost the sharing, never the token:
 * nothing here throws.
 */

import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { type Client, parseClientName } from '../../client';
import { systemCode } from '../../errors';
import type { Turn } from '../../world';
import { makeFolder } from './folders';
import { tryLock } from './lock';
import { fileIn, type Machine } from './paths';
import { replaceFile, sweepOld } from './replace';
import { entryPath, folderProblem, generationPath, nameOf, readFile } from './token-cache';
import { sweepTokenFiles } from './token-files';

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

function trustedFolder(folder: string, machine: Machine): string | undefined {
  try {
    makeFolder(folder, machine);
    return folderProblem(folder, machine) ? 'EUNTRUSTED' : undefined;
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
      replaceFile(generationPath(folder, client, machine), randomBytes(8).toString('hex'), machine);
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
  return tryLock(folder, `${nameOf(client)}-${whose}`, machine);
}
