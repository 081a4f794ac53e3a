/** The file of `exec --token-file`: 0600, in the cache's directory or at the user's path, replaced whole. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { failure, quietly, usage } from '../../errors';
import { messageOf, systemCode } from '../../system-errors';
import type { TokenFile } from '../../world';
import type { Host } from './paths';
import { replaceFile } from './replace';
import { makeTrusted, sweepTokenFiles } from './token-cache';
import { distrust } from './trust';
import { replaceUserFile } from './user-file';

/**
 * Creates a file with this text. Its path is absolute: the command may change its working directory.
 *
 * @throws GwtokenError `local`
 */
export function createTokenFile(cache: string, host: Host, text: string): TokenFile {
  const folder = resolve(cache);
  const path = join(folder, `exec-${randomBytes(8).toString('hex')}`);
  const replace = (content: string): void => {
    makeTrusted(folder, host);
    replaceFile(path, content, host);
  };
  try {
    replace(text);
  } catch (error) {
    const code = systemCode(error);
    const problem = code === 'EUNTRUSTED' ? `: ${messageOf(error)}` : ` in ${folder} (${code})`;
    const hint = 'set GWTOKEN_CACHE_DIR to a directory you own';
    throw failure('local', `cannot create a token file${problem}`, hint);
  }
  sweepTokenFiles(folder);
  return tokenFile(path, replace);
}

/**
 * Creates the file at the user's own path, or takes over the one of a gwtoken that was killed.
 *
 * @throws GwtokenError `usage` if others can write to its directory, or as {@link replaceUserFile}
 */
export function createTokenFileAt(path: string, host: Host, text: string): TokenFile {
  const absolute = resolve(path);
  const folder = dirname(absolute);
  const replace = (content: string): void => {
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    const untrusted = stat && distrust(stat, 'user or root', host);
    if (untrusted)
      throw usage(`no token file is kept in ${folder}: it ${untrusted.text}`, 'use a directory of your own');
    replaceUserFile(absolute, content, host);
  };
  replace(text);
  return tokenFile(absolute, replace);
}

function tokenFile(path: string, replace: TokenFile['replace']): TokenFile {
  return {
    path,
    replace,
    touch: () => quietly(() => fs.utimesSync(path, new Date(), new Date()) ?? true) ?? false,
    remove: () => quietly(() => fs.rmSync(path, { force: true })),
  };
}
