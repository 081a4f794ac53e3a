/**
 * The config file and the list of stored clients: JSON objects. They may name a command, so only the user and
 * root may have written them. The quick path reads them.
 */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type GwtokenError, type Hints, orUndefined, usage } from '../../errors';
import { systemCode, wordsFor } from '../../system-errors';
import { quoted } from '../../text';
import type { Config, ConfigEdit, StoredClient, World } from '../../world';
import { type Host, ownDirectoryHint, writableDirectoryHint } from './paths';
import { type FileRead, readRegular } from './read-file';
import { retryWhileBusy, writeError } from './replace';
import { assertUsable, prepareDirectory, trustProblem } from './trust';

const LOCK_WAIT_MS = 30_000;
const LIMIT_BYTES = 1024 * 1024;

type Stored = Record<string, unknown>;

/**
 * Opens both files. If the directory is an error, each method throws it; but without a home directory, both
 * files are empty.
 */
export function openConfig(directory: string | GwtokenError, host: Host): Pick<World, 'config' | 'clients'> {
  const isHomeless = typeof directory !== 'string' && directory.reason === 'no-home';
  const pathOf = (name: string): string => {
    if (typeof directory === 'string') return join(directory, name);
    throw directory;
  };
  const configPath = (): string => pathOf('config.json');
  const clientsPath = (): string => pathOf('clients.json');
  return {
    config: {
      path: configPath,
      read: () =>
        isHomeless
          ? { path: 'no config file', noHome: directory.hints, general: {}, profiles: {} }
          : readConfig(configPath(), host),
      edit: async (edit) => rewrite(configPath(), host, (path) => applyEdit(readConfig(path, host), edit)),
      async checkWritable() {
        // A login also writes the list of stored clients, which is in the same directory.
        readTrusted(clientsPath(), host);
        await whileWriting(configPath(), (parent) => assertUsable('config', parent, host));
      },
    },
    clients: {
      read: () => (isHomeless ? {} : clientsIn(readTrusted(clientsPath(), host))),
      add: async (name, { clientId, authUrl, loginId }) =>
        rewrite(clientsPath(), host, (path) => ({
          ...readTrusted(path, host),
          [name]: { client_id: clientId, auth_url: authUrl, login_id: loginId },
        })),
      remove: async (name) =>
        rewrite(clientsPath(), host, (path) => {
          const { [name]: _, ...others } = readTrusted(path, host);
          return others;
        }),
    },
  };
}

/** Reads the config file. @throws GwtokenError `usage` for a file that is untrusted or invalid */
export function readConfig(path: string, host: Host): Config {
  const { profiles: given = {}, ...general } = readTrusted(path, host);
  const profiles = Object.entries(objectOf(given, path, 'profiles')).map(([name, own]) => [
    name,
    objectOf(own, path, name),
  ]);
  return { path, noHome: [], general, profiles: Object.fromEntries(profiles) };
}

/** Returns the stored clients in the file's content and ignores the rest of it. */
function clientsIn(stored: Stored): Record<string, StoredClient> {
  const clients: Record<string, StoredClient> = {};
  for (const [name, entry] of Object.entries(stored)) {
    const { client_id: clientId, auth_url: authUrl, login_id = '' } = (entry ?? {}) as Stored;
    if (typeof clientId === 'string' && typeof authUrl === 'string')
      clients[name] = { clientId, authUrl, loginId: String(login_id) };
  }
  return clients;
}

/** Reads a JSON object that no other user can have written. Returns an empty one for a missing file. */
function readTrusted(path: string, host: Host): Stored {
  let read: FileRead;
  try {
    read = retryWhileBusy(() => readRegular(path, LIMIT_BYTES), host);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    // HOME may be another user's: `su --preserve-environment` keeps it.
    const hints = code === 'EACCES' ? [ownDirectoryHint('config')] : undefined;
    throw unusable(path, `cannot be read: ${wordsFor(error)}`, hints);
  }
  const directory = dirname(path);
  const problem =
    trustProblem(path, read.stat, 'config', host) ??
    trustProblem(directory, statSync(directory), 'config', host);
  if (problem) throw problem;
  // Some editors on Windows write a byte order mark at the start of a file.
  const text = read.bytes.toString().replace(/^\uFEFF/, '');
  const parsed: unknown = orUndefined(() => JSON.parse(text));
  // Leaves out the parser's message, which quotes the file.
  if (parsed === undefined) throw unusable(path, 'is not valid JSON');
  return objectOf(parsed, path);
}

/** Returns the value if it is a JSON object. @param key key of the value; undefined for the whole file */
function objectOf(value: unknown, path: string, key?: string): Stored {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Stored;
  throw unusable(path, `must contain a JSON object${key === undefined ? '' : ` for ${quoted(key)}`}`);
}

function unusable(path: string, problem: string, hints?: Hints): GwtokenError {
  return usage(`config file ${path} ${problem}`, hints ?? [`fix ${path}, or rename it to start without it`]);
}

/**
 * Changes the JSON object in a file under a lock. `change` reads the file with all checks, because a file
 * that others can write to must not become a trusted one. bin/build/conf-writer.ts writes the file for conf.
 */
async function rewrite(path: string, host: Host, change: (path: string) => Stored): Promise<void> {
  await whileWriting(path, async (directory) => {
    prepareDirectory('config', directory, host);
    const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('./lock')]);
    await withLock(join(directory, 'config.lock'), host, LOCK_WAIT_MS, () => {
      const value = change(path);
      const conf = new Conf<Stored>({
        cwd: directory,
        configName: basename(path, '.json'),
        configFileMode: 0o600,
        // conf would put back its own key from the file, which `change` has read.
        deserialize: () => ({}),
        serialize: (stored) => `${JSON.stringify(stored, null, 2)}\n`,
      });
      conf.store = value;
    });
  });
}

/** Runs work in the file's directory, and turns errors of the system into errors with hints. */
async function whileWriting(path: string, work: (directory: string) => void | Promise<void>): Promise<void> {
  try {
    await work(dirname(path));
  } catch (error) {
    throw writeError(error, path, [writableDirectoryHint('config')]);
  }
}

function applyEdit({ general, profiles }: Config, { profile, key, value }: ConfigEdit): Stored {
  const values: Stored = { ...(profile === undefined ? general : profiles[profile]) };
  if (value === undefined) delete values[key];
  else values[key] = value;
  const stored = profile === undefined ? values : general;
  const all = profile === undefined ? profiles : { ...profiles, [profile]: values };
  const kept = Object.entries(all).filter(([, own]) => Object.keys(own).length > 0);
  return kept.length > 0 ? { ...stored, profiles: Object.fromEntries(kept) } : stored;
}
