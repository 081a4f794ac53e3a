/**
 * The config file and the stored clients. Reading is on the quick path, without conf, which costs 24 ms.
 * Writing goes through conf, whole and under one lock, since conf by itself loses parallel writes.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GwtokenError, usage } from '../../errors';
import { messageOf, systemCode } from '../../system-errors';
import { shellWord } from '../../text';
import type { Config, ConfigEdit, ConfigValues, Distrust, KnownEntry, World } from '../../world';
import { retryWhileBusy } from './busy';
import { fileIn, type Host, homeless } from './paths';
import { type FileRead, readRegular } from './read-file';
import { sweepOld } from './sweep';
import * as trust from './trust';

const AS_OWNER = 'run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own';

/** The time for which a reader waits for a writer, and a writer for the lock. */
const READER_WAITS_MS = 100;
const LOCK_WAIT_MS = 30_000;
/** The time for which a login waits for another one, whose keychain may be asking the person. */
const LOGIN_WAIT_MS = 120_000;

/** A config file is never larger. */
const LIMIT = 1024 * 1024;

type Stored = Record<string, unknown>;

/** Opens both files. @param folder undefined if there is no home directory: then nothing is stored */
export function openConfig(folder: string | undefined, host: Host): Pick<World, 'config' | 'clients'> {
  const here = (): string => {
    if (folder === undefined) throw homeless(host);
    return folder;
  };
  const pathOf = (name: string): string => fileIn(here(), name, host.platform);
  return {
    config: {
      path: () => pathOf('config.json'),
      read: () => (folder === undefined ? NOTHING : readConfig(pathOf('config.json'), host)),
      edit: async (edits) => rewrite(here(), 'config', host, (path) => edited(readConfig(path, host), edits)),
      checkWritable: async () => checkWritable(here(), host),
    },
    clients: {
      read: () => (folder === undefined ? {} : knownIn(readTrusted(pathOf('clients.json'), host))),
      add: async (name, { clientId, authUrl }) =>
        rewrite(here(), 'clients', host, (path) => ({
          ...readTrusted(path, host),
          [name]: { client_id: clientId, auth_url: authUrl },
        })),
      async exclusively(work) {
        trust.makeFolder(here(), host);
        const { withLock } = await import('./lock');
        return await withLock(here(), 'login', host, LOGIN_WAIT_MS, work);
      },
      remove: async (names) =>
        rewrite(here(), 'clients', host, (path) => {
          const stored = Object.entries(readTrusted(path, host));
          return Object.fromEntries(stored.filter(([name]) => !names.includes(name)));
        }),
    },
  };
}

const NOTHING: Config = { path: 'no config file', general: {}, profiles: {} };

/** Reads the config file. @throws GwtokenError `usage` for a file that is untrusted or invalid */
export function readConfig(path: string, host: Host): Config {
  const { profiles: given = {}, ...general } = readTrusted(path, host);
  const profiles = Object.entries(objectOf(given, path, 'profiles')).map(([name, own]) => [
    name,
    valuesOf(objectOf(own, path, name), path),
  ]);
  return { path, general: valuesOf(general, path), profiles: Object.fromEntries(profiles) };
}

/** Returns the stored clients in the file's content; anything else in it is ignored. */
function knownIn(stored: Stored): Record<string, KnownEntry> {
  const known: Record<string, KnownEntry> = {};
  for (const [name, entry] of Object.entries(stored)) {
    const { client_id: clientId, auth_url: authUrl } = (entry ?? {}) as Record<string, unknown>;
    if (typeof clientId === 'string' && typeof authUrl === 'string') known[name] = { clientId, authUrl };
  }
  return known;
}

/**
 * Reads a JSON object that only the user and root can have written, since it may hold a command. Returns an
 * empty one if there is no file.
 */
function readTrusted(path: string, host: Host, attempts = 3): Stored {
  let read: FileRead;
  try {
    read = retryWhileBusy(() => readRegular(path, LIMIT), READER_WAITS_MS, host);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    const isForbidden = code === 'EACCES' || code === 'EPERM';
    const why = code === 'EFBIG' ? 'larger than 1 MiB' : (code ?? messageOf(error));
    throw unusable(path, `cannot be read (${why})`, isForbidden ? AS_OWNER : undefined);
  }
  const { stat } = read;
  const untrusted = trust.distrust(stat, 'user or root', host) ?? trust.checkPathTrust(path, host, stat);
  // Another gwtoken may just have replaced it.
  if (untrusted?.why === 'changed' && attempts > 1) return readTrusted(path, host, attempts - 1);
  if (untrusted) throw unusable(path, untrusted.text, fixFor(path, untrusted));
  // Some editors of Windows begin a file with a byte order mark.
  const text = read.bytes.toString().replace(/^\uFEFF/, '');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // Without the parser's message: it quotes the file, which may contain anything.
    throw unusable(path, `contains invalid JSON${lineOf(error, text)}`);
  }
  return objectOf(parsed, path);
}

/** Returns the line of a parser's error, as ` (line 3)`: only Node's tells it. */
function lineOf(error: unknown, text: string): string {
  const [, position] = /position (\d+)/.exec(messageOf(error)) ?? [];
  return position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`;
}

function fixFor(path: string, { why, path: culprit = path }: Distrust): string {
  return why === 'open' ? `run: chmod go-w ${shellWord(culprit)}` : AS_OWNER;
}

/** @param key where the value is; undefined for the whole file */
function objectOf(value: unknown, path: string, key?: string): Stored {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Stored;
  throw key === undefined
    ? unusable(path, 'must contain a JSON object')
    : invalid(path, key, 'a JSON object');
}

function valuesOf(stored: Stored, path: string): ConfigValues {
  for (const [key, value] of Object.entries(stored))
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw invalid(path, key, 'a string, number or boolean');
  return stored as ConfigValues;
}

function invalid(path: string, key: string, valid: string): GwtokenError {
  return unusable(path, `has an invalid value for ${JSON.stringify(key)} (use ${valid})`);
}

function unusable(path: string, problem: string, hint = `fix or delete ${path}`): GwtokenError {
  return usage(`config file ${path} ${problem}`, hint);
}

/**
 * Changes the JSON object in `folder/name.json`, atomically, mode 0600. `change` reads it with every reader's
 * checks: a file that others can write to must not become a trusted one.
 */
async function rewrite(
  folder: string,
  name: 'config' | 'clients',
  host: Host,
  change: (path: string) => Stored,
): Promise<void> {
  const path = join(folder, `${name}.json`);
  try {
    // Both for their errors alone: a change that is rejected creates neither the directory nor the lock.
    existing(path, host);
    change(path);
    trust.makeFolder(folder, host);
    const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('./lock')]);
    await withLock(folder, 'config', host, LOCK_WAIT_MS, () => {
      const changed = change(path);
      // Only for writing: it reads the file too, without any of our checks.
      const conf = new Conf<Stored>({
        cwd: folder,
        configName: name,
        configFileMode: 0o600,
        serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
      });
      conf.store = changed;
      // Files that conf was writing when its process was killed.
      sweepOld(folder, /^(config|clients)\.json\.tmp-/);
    });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * Checks that the config file and the stored clients can be written, as far as that can be known in advance.
 *
 * @throws GwtokenError as writing would
 */
function checkWritable(folder: string, host: Host): void {
  for (const name of ['config.json', 'clients.json']) {
    const file = join(folder, name);
    try {
      const path = existing(file, host);
      trust.checkWritable(statSync(path).isDirectory() ? path : dirname(realpathSync(path)), host);
    } catch (error) {
      throw unwritable(file, error);
    }
  }
}

/**
 * Returns the file, or the nearest directory above it that exists. Rejects one that could not be read again,
 * and another user's: `sudo gwtoken login` would leave a file that its owner cannot change.
 */
function existing(file: string, host: Host): string {
  let path = file;
  while (lstatSync(path, { throwIfNoEntry: false }) === undefined && path !== dirname(path))
    path = dirname(path);
  // Writing would replace the link instead of creating its target.
  if (!existsSync(path)) throw new Error(`${path} is a broken symlink to ${readlinkSync(path)}`);
  const own = trust.distrust(statSync(path), 'user', host);
  const untrusted = own?.why === 'foreign' ? own : trust.checkPathTrust(path, host);
  if (!untrusted) return path;
  throw usage(`${path} ${untrusted.text}; gwtoken will not write to it`, fixFor(path, untrusted));
}

function unwritable(path: string, cause: unknown): GwtokenError {
  if (cause instanceof GwtokenError) return cause;
  return new GwtokenError('local', `cannot write ${path} (${systemCode(cause) ?? messageOf(cause)})`, {
    hints: ['set GWTOKEN_CONFIG_DIR to a writable directory'],
    cause,
  });
}

function edited(config: Config, edits: readonly ConfigEdit[]): Stored {
  let general: Stored = config.general;
  const profiles: Record<string, Stored> = { ...config.profiles };
  for (const { profile, key, value } of edits) {
    const { [key]: _, ...others } = profile === undefined ? general : (profiles[profile] ?? {});
    const values = value === undefined ? others : { ...others, [key]: value };
    if (profile === undefined) general = values;
    else if (Object.keys(values).length > 0) profiles[profile] = values;
    else delete profiles[profile];
  }
  return Object.keys(profiles).length > 0 ? { ...general, profiles } : { ...general };
}
