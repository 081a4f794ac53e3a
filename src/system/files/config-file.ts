/**
 * Reads the config file and the known clients: `node:fs` and JSON alone, since conf costs 24 ms at every start.
 * Writing is system/files/config-store.ts.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { GwtokenError, messageOf, systemCode } from '../../errors';
import { shellWord } from '../../text';
import type { Config, ConfigValues, KnownEntry } from '../../world/files';
import { whileHeld } from './held';
import type { Machine } from './paths';
import { distrust } from './trust';

/** What helps where a config is another user's. */
export const AS_ANOTHER = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR to a folder of your own';

/** How long a writer may keep a reader waiting. */
const HELD_MS = 100;

/** The largest file that is read: anything larger is no config. */
const LIMIT = 1024 * 1024;

/** The config file's content; empty when it is absent. Throws a `usage` error for anything not to be trusted or read. */
export function readConfig(path: string | undefined, machine: Machine): Config {
  const stored = path === undefined ? undefined : readTrusted(path, machine);
  const { profiles = {}, ...general } = stored ?? {};
  return {
    path: path ?? 'no config file',
    general: valuesOf(general, path),
    profiles: Object.fromEntries(
      Object.entries(objectOf(profiles, path)).map(([name, own]) => [
        name,
        valuesOf(objectOf(own, path), path),
      ]),
    ),
  };
}

/** The entries of the known clients' file: id and address by the client's name. Anything else is passed over. */
export function readKnownClients(path: string | undefined, machine: Machine): Record<string, KnownEntry> {
  const known: Record<string, KnownEntry> = {};
  for (const [name, entry] of Object.entries(path === undefined ? {} : (readTrusted(path, machine) ?? {}))) {
    const { client_id: clientId, auth_url: authUrl } = (entry ?? {}) as Record<string, unknown>;
    if (typeof clientId === 'string' && typeof authUrl === 'string') known[name] = { clientId, authUrl };
  }
  return known;
}

/**
 * A JSON object from a file that belongs to the user or root and that nobody else can write (POSIX): it can name a
 * command and an address. Owner, mode and content are read from one open file, so that they belong together.
 */
export function readTrusted(path: string, machine: Machine): Record<string, unknown> | undefined {
  let text: string;
  let file: number | undefined;
  try {
    file = whileHeld(
      () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)),
      HELD_MS,
      machine,
    );
    const stat = fstatSync(file);
    const untrusted = distrust(stat, 'user or root', machine);
    if (untrusted) {
      const hint = untrusted.why === 'open' ? `run: chmod go-w ${shellWord(path)}` : AS_ANOTHER;
      throw unusable(path, untrusted.text, hint);
    }
    // A pipe, say, in its place has nothing to read until somebody writes, and may have no end.
    if (!stat.isFile()) throw unusable(path, 'is not a file');
    if (stat.size > LIMIT) throw unusable(path, 'is larger than 1 MiB');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unusable(
      path,
      `cannot be read (${code ?? messageOf(error)})`,
      code === 'EACCES' || code === 'EPERM'
        ? 'run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a folder of your own'
        : undefined,
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's message is left out: it quotes the file, and a person may have put anything there.
    throw unusable(path, 'is not valid JSON');
  }
  return objectOf(parsed, path);
}

function objectOf(value: unknown, path: string | undefined): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw unusable(path ?? '', 'does not hold a JSON object where one belongs');
}

function valuesOf(stored: Record<string, unknown>, path: string | undefined): ConfigValues {
  const values: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(stored)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw unusable(
        path ?? '',
        `has something other than a text, number or boolean for ${JSON.stringify(key)}`,
      );
    }
    values[key] = value;
  }
  return values;
}

function unusable(path: string, problem: string, hint = `mend or remove it: ${path}`): GwtokenError {
  return new GwtokenError('usage', `config file ${path} ${problem}`, { hints: [hint] });
}
