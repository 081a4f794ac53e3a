/**
 * Writes the token cache, and gives the turns to fill it. What does not work costs the sharing, never the token:
 * nothing here throws.
 */

import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { type Client, parseClientName } from '../../client';
import { systemCode } from '../../errors';
import type { Turn } from '../../world/files';
import { makeFolder } from './folders';
import { tryLock } from './lock';
import { fileIn, type Machine } from './paths';
import { replaceFile } from './replace';
import { entryPath, folderProblem, nameOf, readFile } from './token-cache';

const STALE_MS = 60_000;

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
    sweep(folder, machine);
    replaceFile(file, text, machine);
    return undefined;
  } catch (error) {
    return systemCode(error) ?? 'UNKNOWN';
  }
}

function trustedFolder(folder: string, machine: Machine): string | undefined {
  try {
    makeFolder(folder);
    return folderProblem(folder, machine) ? 'EUNTRUSTED' : undefined;
  } catch (error) {
    return systemCode(error) ?? 'UNKNOWN';
  }
}

/** Removes the entries of the clients that pass. */
export function removeEntries(folder: string, machine: Machine, passes: (client: Client) => boolean): void {
  try {
    if (folderProblem(folder, machine)) return;
    for (const file of readdirSync(folder)) {
      const client = clientOf(file);
      if (client && passes(client)) rmSync(fileIn(folder, file, machine.platform), { force: true });
    }
  } catch {
    // No folder, or one that cannot be read: there is nothing to remove.
  }
}

/** Temporary files of writers that were killed. */
function sweep(folder: string, machine: Machine): void {
  for (const file of readdirSync(folder)) {
    if (!/^token-.*\.tmp$/.test(file)) continue;
    const left = fileIn(folder, file, machine.platform);
    const stat = lstatSync(left, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > STALE_MS) rmSync(left, { force: true });
  }
}

function clientOf(file: string): Client | undefined {
  const [, ...parts] = /^token-(.+)-([a-z]+)-([a-z]+)\.json$/.exec(file) ?? [];
  return parseClientName(parts.join(':'));
}

/**
 * Takes the turn at the endpoint for a client and whoever's credentials; undefined when there can be no turns in this
 * folder.
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
