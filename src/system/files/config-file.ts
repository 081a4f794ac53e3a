/**
 * Reads the config file and the stored clients: only `node:fs` and JSON, since conf costs 24 ms at every start.
 * Writing is system/files/config-store.ts.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { GwtokenError, systemCode, usage } from '../../errors';
import { shellWord } from '../../text';
import type { Config, ConfigValues, KnownEntry } from '../../world';
import { whileHeld } from './held';
import type { Machine } from './paths';
import { distrust } from './trust';

/** The hint for a config file of another user. */
export const AS_ANOTHER = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR to a directory you own';

/** How long a reader waits for a writer. */
const HELD_MS = 100;

/** The largest file that is read: a config file is never larger. */
const LIMIT = 1024 * 1024;

/**
 * The config file's content; empty if there is none. @throws GwtokenError `usage` for a file that is untrusted or
 * invalid
 */
export function readConfig(path: string | undefined, machine: Machine): Config {
  const stored = path === undefined ? undefined : readTrusted(path, machine);
  const { profiles = {}, ...general } = stored ?? {};
  return {
    path: path ?? 'no config file',
    general: valuesOf(general, path),
    profiles: Object.fromEntries(
      Object.entries(objectOf(profiles, path, 'profiles')).map(([name, own]) => [
        name,
        valuesOf(objectOf(own, path, name), path),
      ]),
    ),
  };
}

/** The entries of the stored clients' file: client ID and auth URL by the client's name. Anything else is ignored. */
export function readKnownClients(path: string | undefined, machine: Machine): Record<string, KnownEntry> {
  const known: Record<string, KnownEntry> = {};
  for (const [name, entry] of Object.entries(path === undefined ? {} : (readTrusted(path, machine) ?? {}))) {
    const { client_id: clientId, auth_url: authUrl } = (entry ?? {}) as Record<string, unknown>;
    if (typeof clientId === 'string' && typeof authUrl === 'string') known[name] = { clientId, authUrl };
  }
  return known;
}

/**
 * A JSON object from a file that belongs to the user or root and that nobody else can write to (POSIX): it can contain
 * a command and a URL. Owner, mode and content come from one open file, so they belong together.
 */
export function readTrusted(path: string, machine: Machine): Record<string, unknown> | undefined {
  let text: string;
  let file: number | undefined;
  try {
    file = whileHeld(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), HELD_MS, machine);
    const stat = fstatSync(file);
    const untrusted = distrust(stat, 'user or root', machine);
    if (untrusted) {
      const hint = untrusted.why === 'open' ? `run: chmod go-w ${shellWord(path)}` : AS_ANOTHER;
      throw unusable(path, untrusted.text, hint);
    }
    // A pipe in its place would block until somebody writes, and may never end.
    if (!stat.isFile()) throw unusable(path, 'is not a regular file');
    if (stat.size > LIMIT) throw unusable(path, 'is larger than 1 MiB');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unusable(
      path,
      `cannot be read (${code})`,
      code === 'EACCES' || code === 'EPERM'
        ? 'run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own'
        : undefined,
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Without the parser's message: it quotes the file, which may contain anything.
    throw unusable(path, 'contains invalid JSON');
  }
  return objectOf(parsed, path);
}

/** @param key where the value is; undefined for the whole file */
function objectOf(value: unknown, path: string | undefined, key?: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw key === undefined
    ? unusable(path ?? '', 'must contain a JSON object')
    : invalid(path, key, 'a JSON object');
}

function valuesOf(stored: Record<string, unknown>, path: string | undefined): ConfigValues {
  const values: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(stored)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw invalid(path, key, 'a string, number or boolean');
    values[key] = value;
  }
  return values;
}

function invalid(path: string | undefined, key: string, valid: string): GwtokenError {
  return unusable(path ?? '', `has an invalid value for ${JSON.stringify(key)} (use ${valid})`);
}

function unusable(path: string, problem: string, hint = `fix or delete ${path}`): GwtokenError {
  return usage(`config file ${path} ${problem}`, hint);
}
