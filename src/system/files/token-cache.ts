/**
 * The token cache: one directory (mode 0700) with files of each key (mode 0600): a token, a failure, and a
 * lock during a request. None of its methods throws: a file that cannot be read is a miss, and a token that
 * cannot be written is not shared.
 */
import { constants, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, clientName, parseClientName } from '../../client';
import { orUndefined } from '../../errors';
import { systemCode, wordsFor } from '../../system-errors';
import { shortHash } from '../../text';
import type { CacheKind, CacheRead, TokenCache, TokenKey } from '../../world';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { writeByRename } from './replace';
import { prepareDirectory, trustProblem } from './trust';

/** Largest cache file in bytes: more than any token needs. */
const LIMIT = 256 * 1024;

/** A lock or temporary file that nobody has written to for a day was left behind by a killed process. */
const LEFT_BEHIND_MS = 86_400_000;

const LOCK_LOST = 'lock lost';

/** The cache if there is no home directory. */
export const NO_CACHE: TokenCache = {
  read: () => ({}),
  write: async () => 'no home directory',
  clientNames: () => [],
  remove: async () => [],
  async sweep() {},
  acquireLock: async () => undefined,
};

export function openTokens(directory: string, host: Host): TokenCache {
  return {
    read: (key, kind = 'token') =>
      orUndefined((): CacheRead => {
        const problem = trustProblem(directory, lstatSync(directory), 'cache', host);
        if (problem?.reason === 'open-to-others')
          return { untrusted: `${problem.message}; ${problem.hints[0]}` };
        if (problem) return { untrusted: problem.message };
        return readCacheFile(entryPath(directory, key, kind), host);
      }) ?? {},
    async write(key, text, kind = 'token', lock) {
      const file = entryPath(directory, key, kind);
      try {
        prepareDirectory('cache', directory, host);
        const { untrusted } = readCacheFile(file, host);
        if (untrusted) return untrusted;
        // A holder that was suspended must not replace the token of its successor.
        if (lock?.isHeld() === false) return LOCK_LOST;
        writeByRename(file, text, host);
        if (lock?.isHeld() !== false) return undefined;
        unlinkSync(file);
        return LOCK_LOST;
      } catch (error) {
        return wordsFor(error);
      }
    },
    clientNames() {
      const files = orUndefined(() => readdirSync(directory)) ?? [];
      const clients = files
        .filter((file) => file.includes('.token.json'))
        .flatMap((file) => clientOf(file) ?? []);
      return [...new Set(clients.map(clientName))];
    },
    remove: async (matches) => removeFiles(directory, matches),
    async sweep(isOver) {
      for (const file of orUndefined(() => readdirSync(directory)) ?? []) {
        const path = join(directory, file);
        const isDue = (): boolean => {
          if (!file.endsWith('.json')) return Date.now() - lstatSync(path).mtimeMs > LEFT_BEHIND_MS;
          const kind = file.endsWith('.failure.json') ? 'failure' : 'token';
          return isOver(readCacheFile(path, host).text ?? '', kind);
        };
        // A file that cannot be removed is swept another time.
        orUndefined(() => clientOf(file) && isDue() && unlinkSync(path));
      }
    },
    async acquireLock(key) {
      const { tryLock } = await import('./lock');
      return orUndefined(() => {
        prepareDirectory('cache', directory, host);
        return tryLock(join(directory, `${nameOf(key)}.lock`), host);
      });
    },
  };
}

function readCacheFile(file: string, host: Host): CacheRead {
  try {
    const { bytes, stat } = readRegular(file, LIMIT, constants.O_NOFOLLOW);
    const problem = trustProblem(file, stat, 'cache', host);
    if (problem === undefined) return { text: bytes.toString() };
    // A file that others can open is a miss: the next token replaces it.
    return problem.reason === 'open-to-others' ? {} : { untrusted: problem.message };
  } catch (error) {
    return systemCode(error) === 'ELOOP' ? { untrusted: `${file} is a symbolic link` } : {};
  }
}

/**
 * Returns the start of the names of a key's files: the client, whose profile alone may contain hyphens, and a
 * hash. A collision is a miss, because the entry contains its key.
 */
const nameOf = ({ client, facts }: TokenKey): string =>
  `${clientName(client).replaceAll(':', '-')}.${shortHash(JSON.stringify(facts))}`;

export function entryPath(directory: string, key: TokenKey, kind: CacheKind = 'token'): string {
  return join(directory, `${nameOf(key)}.${kind}.json`);
}

/** Returns the client of a file of any key, even of a file that a killed process or an old version left. */
function clientOf(file: string): Client | undefined {
  const ofClient = /^(.+)-([a-z]+)-([a-z]+)(?:\.[0-9a-f]+)?\.(?:lock|token|failure)(?:\.|$)/;
  const [, ...parts] = ofClient.exec(file) ?? [];
  return parseClientName(parts.join(':'));
}

function removeFiles(directory: string, matches: (client: Client) => boolean): readonly string[] {
  const kept = new Set<string>();
  const attempt = <T>(path: string, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') kept.add(`${path} (${wordsFor(error)})`);
      return undefined;
    }
  };
  const isChosen = (file: string): boolean => {
    const client = clientOf(file);
    return client !== undefined && matches(client);
  };
  const list = () => attempt(directory, () => readdirSync(directory).filter(isChosen)) ?? [];
  const removeEach = (files: readonly string[]): void => {
    for (const path of files.map((file) => join(directory, file))) attempt(path, () => unlinkSync(path));
  };
  removeEach(list().filter((file) => file.endsWith('.lock')));
  // A request may write its token until its lock is gone, so the other files are listed after that.
  removeEach(list());
  return [...kept];
}
