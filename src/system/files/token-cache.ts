/**
 * The token cache: one directory, 0700, with one 0600 file per client. None of its methods throws: what
 * cannot be read is a miss, and a token that cannot be written is not shared.
 */
import { constants, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, parseClientName } from '../../client';
import { orUndefined, systemCode } from '../../errors';
import type { CacheKind, CacheRead, TokenCache } from '../../world';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { replaceFile, sweepOld, uniqueName } from './replace';
import { makeFolder, trustProblem } from './trust';

/** A token of 32 KiB, escaped twice, and some room. */
const LIMIT = 256 * 1024;

/** The cache if there is no home directory. */
export const NO_TOKENS: TokenCache = {
  read: () => ({}),
  write: async () => 'ENOHOME',
  async remove() {},
  invalidate: async () => [],
  acquireLock: async () => undefined,
};

export function openTokens(folder: string, host: Host): TokenCache {
  return {
    read(client, kind = 'token') {
      const files = orUndefined(() => {
        const problem = trustProblem(lstatSync(folder), 'user', host);
        if (problem) return { untrusted: `${folder} ${problem.text}` };
        const { text: generation = '' } = readFile(generationPath(folder, client), host);
        return { generation, ...readFile(entryPath(folder, client, kind), host) };
      });
      return files ?? {};
    },
    async write(client, text, kind = 'token') {
      const file = entryPath(folder, client, kind);
      try {
        makeTrusted(folder, host);
        if (readFile(file, host).untrusted) return 'EUNTRUSTED';
        sweepOld(folder, /^(.*\.(token|failure)\.json|generation-.*)\.\w+\.tmp$/);
        replaceFile(file, text, host);
        return undefined;
      } catch (error) {
        return systemCode(error) ?? 'UNKNOWN';
      }
    },
    // A file that cannot be removed does no harm: it is of other credentials or an earlier generation.
    async remove(passes) {
      for (const file of orUndefined(() => readdirSync(folder)) ?? []) {
        const client = clientOf(file);
        if (client && passes(client)) remove(join(folder, file));
      }
    },
    async invalidate(client) {
      // If this fails, no request can store a token either, and the old one is removed or reported below.
      orUndefined(() => {
        makeTrusted(folder, host);
        replaceFile(generationPath(folder, client), uniqueName(), host);
      });
      return remove(entryPath(folder, client));
    },
    async acquireLock(client) {
      try {
        makeTrusted(folder, host);
      } catch {
        return undefined;
      }
      const { tryLock } = await import('./lock');
      return tryLock(join(folder, `${nameOf(client)}.lock`), host);
    },
  };
}

function readFile(file: string, host: Host): CacheRead {
  try {
    const { bytes, stat } = readRegular(file, LIMIT, constants.O_NOFOLLOW);
    const untrusted = trustProblem(stat, 'user', host);
    return untrusted ? { untrusted: `${file} ${untrusted.text}` } : { text: bytes.toString() };
  } catch (error) {
    return systemCode(error) === 'ELOOP' ? { untrusted: `${file} is a symbolic link` } : {};
  }
}

/** Creates the directory if it is missing. Throws the system's error, or EUNTRUSTED. */
function makeTrusted(folder: string, host: Host): void {
  makeFolder(folder, host);
  const problem = trustProblem(lstatSync(folder), 'user', host);
  if (problem) throw Object.assign(new Error(`${folder} ${problem.text}`), { code: 'EUNTRUSTED' });
}

/** Returns an unambiguous name: a profile's name may contain hyphens, but the other two are fixed words. */
function nameOf({ profile, environment, region }: Client): string {
  return `${profile}-${environment}-${region}`;
}

/** Returns the path of the generation of a client's tokens; there is no such file before the first login. */
export function generationPath(folder: string, client: Client): string {
  return join(folder, `generation-${nameOf(client)}`);
}

export function entryPath(folder: string, client: Client, kind: CacheKind = 'token'): string {
  return join(folder, `${nameOf(client)}.${kind}.json`);
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
  const [, ...parts] = /^(.+)-([a-z]+)-([a-z]+)\.(?:token|failure)\.json$/.exec(file) ?? [];
  return parseClientName(parts.join(':'));
}
