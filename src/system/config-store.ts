/** Writes the config file and the known clients: whole, through conf, under one lock, since conf alone loses parallel writes. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import { GwtokenError, messageOf, systemCode } from '../errors';
import type { ConfigEdit, KnownEntry } from '../world';
import { withLock } from './lock';
import type { Machine } from './machine';

const WAIT_MS = 10_000;

type Stored = Record<string, unknown>;

/**
 * Changes the JSON object in `folder/name.json`: atomic, mode 0600, in a 0700 folder that is made when it is not there.
 * `change` gets what is stored now and returns what shall be.
 */
export async function rewrite(
  folder: string,
  name: string,
  machine: Machine,
  change: (stored: Stored) => Stored,
): Promise<void> {
  checkWritable(folder, name, machine);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await withLock(folder, 'config', machine, WAIT_MS, () => {
      const conf = new Conf<Stored>({
        cwd: folder,
        configName: name,
        projectName: 'gwtoken',
        projectSuffix: '',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        clearInvalidConfig: false,
        serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
      });
      conf.store = change({ ...conf.store });
    });
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    throw new GwtokenError(
      'local',
      `${join(folder, `${name}.json`)} cannot be written (${systemCode(error) ?? messageOf(error)})`,
      {
        hints: ['set GWTOKEN_CONFIG_DIR to a folder that you can write to'],
        cause: error,
      },
    );
  }
}

/**
 * Refuses a file, or the nearest folder there is, that belongs to another user: `sudo gwtoken login` in a user's HOME
 * would leave a file there that the user cannot change.
 */
export function checkWritable(folder: string, name: string, { uid }: Machine): void {
  if (uid === undefined) return;
  for (let path = join(folder, `${name}.json`); ; path = dirname(path)) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined && path !== dirname(path)) continue;
    if (stat !== undefined && stat.uid !== uid) {
      throw new GwtokenError(
        'usage',
        `${path} belongs to another user (uid ${stat.uid}): gwtoken writes no config that it does not own`,
        {
          hints: ['run gwtoken as that user, or set GWTOKEN_CONFIG_DIR to a folder of your own'],
        },
      );
    }
    return;
  }
}

/** Applies all edits to the config file at once. */
export function editConfig(folder: string, machine: Machine, edits: readonly ConfigEdit[]): Promise<void> {
  return rewrite(folder, 'config', machine, ({ profiles, ...general }) => {
    const own: Record<string, Stored> = { ...(profiles as Record<string, Stored> | undefined) };
    for (const { profile, key, value } of edits) {
      const { [key]: _, ...others } = profile === undefined ? general : (own[profile] ?? {});
      const values = value === undefined ? others : { ...others, [key]: value };
      if (profile === undefined) general = values;
      else if (Object.keys(values).length > 0) own[profile] = values;
      else delete own[profile];
    }
    return Object.keys(own).length > 0 ? { ...general, profiles: own } : general;
  });
}

/** Adds a client to the known ones, or replaces it. */
export function addKnownClient(
  folder: string,
  machine: Machine,
  name: string,
  entry: KnownEntry,
): Promise<void> {
  const stored = { client_id: entry.clientId, auth_url: entry.authUrl };
  return rewrite(folder, 'clients', machine, (known) => ({ ...known, [name]: stored }));
}

export function removeKnownClients(
  folder: string,
  machine: Machine,
  names: readonly string[],
): Promise<void> {
  return rewrite(folder, 'clients', machine, (known) =>
    Object.fromEntries(Object.entries(known).filter(([name]) => !names.includes(name))),
  );
}
