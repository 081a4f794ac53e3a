/**
 * Writes the config file and the stored clients: whole, through conf, under one lock, since conf by itself loses
 * parallel writes.
 */

import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GwtokenError, messageOf, systemCode, usage } from '../../errors';
import type { ConfigEdit, KnownEntry } from '../../world';
import { AS_ANOTHER, readConfig, readTrusted } from './config-file';
import * as folders from './folders';
import { withLock } from './lock';
import type { Machine } from './paths';
import { sweepOld } from './replace';
import { distrust } from './trust';

const WAIT_MS = 10_000;

type Stored = Record<string, unknown>;

/**
 * Changes the JSON object in `folder/name.json`: atomically, mode 0600, in a 0700 directory that is created if missing.
 * `change` reads what is stored, with every reader's checks, since a file that others can write to must not become
 * a trusted one; it returns what to store.
 */
async function rewrite(
  folder: string,
  name: 'config' | 'clients',
  machine: Machine,
  change: (path: string) => Stored,
): Promise<void> {
  const path = join(folder, `${name}.json`);
  checkOwned(path, machine);
  // What would be rejected under the lock is rejected before the directory and the lock are created.
  change(path);
  try {
    folders.makeFolder(folder, machine);
    const { default: Conf } = await import('conf');
    await withLock(folder, 'config', machine, WAIT_MS, () => {
      const changed = change(path);
      const conf = new Conf<Stored>({
        cwd: folder,
        configName: name,
        configFileMode: 0o600,
        serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
      });
      conf.store = changed;
      // What conf was writing when its process was killed.
      sweepOld(folder, /^(config|clients)\.json\.tmp-/);
    });
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    throw unwritable(path, error);
  }
}

/** Throws what writing the config file or the stored clients would throw, as far as that can be known in advance. */
export function checkWritable(folder: string, machine: Machine): void {
  for (const name of ['config.json', 'clients.json']) {
    const nearest = checkOwned(join(folder, name), machine);
    try {
      const place = statSync(nearest).isDirectory() ? nearest : dirname(realpathSync(nearest));
      folders.checkWritable(place, machine);
    } catch (error) {
      throw unwritable(join(folder, name), error);
    }
  }
}

/**
 * Rejects a file, or its nearest existing directory, that belongs to another user: `sudo gwtoken login` in a user's
 * HOME would leave a file there that the user cannot change. Returns the path that exists.
 */
function checkOwned(file: string, machine: Machine): string {
  for (let path = file; ; path = dirname(path)) {
    const stat = statOrLink(path, file);
    if (stat === undefined && path !== dirname(path)) continue;
    if (stat?.isSymbolicLink()) {
      // The file is meant to be elsewhere, and writing would replace the link.
      throw unwritable(file, undefined, `${path} is a broken symlink to ${readlinkSync(path)}`);
    }
    const untrusted = stat && distrust(stat, 'user', machine);
    if (untrusted?.why !== 'foreign') return path;
    const problem = `${path} ${untrusted.text}; gwtoken will not write to it`;
    throw usage(problem, AS_ANOTHER);
  }
}

/** What only lstat finds is a broken link, or was created by another process in between. */
function statOrLink(path: string, file: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(
  path: string,
  cause: unknown,
  problem = systemCode(cause) ?? messageOf(cause),
): GwtokenError {
  return new GwtokenError('local', `cannot write ${path} (${problem})`, {
    hints: ['set GWTOKEN_CONFIG_DIR to a writable directory'],
    cause,
  });
}

/** Applies all edits to the config file at once. */
export function editConfig(folder: string, machine: Machine, edits: readonly ConfigEdit[]): Promise<void> {
  return rewrite(folder, 'config', machine, (path) => {
    const stored = readConfig(path, machine);
    let general: Stored = stored.general;
    const profiles: Record<string, Stored> = { ...stored.profiles };
    for (const { profile, key, value } of edits) {
      const { [key]: _, ...others } = profile === undefined ? general : (profiles[profile] ?? {});
      const values = value === undefined ? others : { ...others, [key]: value };
      if (profile === undefined) general = values;
      else if (Object.keys(values).length > 0) profiles[profile] = values;
      else delete profiles[profile];
    }
    return Object.keys(profiles).length > 0 ? { ...general, profiles } : { ...general };
  });
}

/** Adds a stored client, or replaces it. */
export function addKnownClient(
  folder: string,
  machine: Machine,
  name: string,
  entry: KnownEntry,
): Promise<void> {
  const stored = { client_id: entry.clientId, auth_url: entry.authUrl };
  return rewrite(folder, 'clients', machine, (path) => ({ ...readTrusted(path, machine), [name]: stored }));
}

export function removeKnownClients(
  folder: string,
  machine: Machine,
  names: readonly string[],
): Promise<void> {
  return rewrite(folder, 'clients', machine, (path) =>
    Object.fromEntries(
      Object.entries(readTrusted(path, machine) ?? {}).filter(([name]) => !names.includes(name)),
    ),
  );
}
