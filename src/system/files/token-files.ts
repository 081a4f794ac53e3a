/** The file of `exec --token-file`: 0600, in the cache's directory, replaced whole. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { failure, quietly } from '../../errors';
import { messageOf, systemCode } from '../../system-errors';
import type { TokenFile } from '../../world';
import type { Host } from './paths';
import { replaceFile } from './replace';
import { makeTrusted, sweepTokenFiles } from './token-cache';

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
  return {
    path,
    replace,
    touch: () => quietly(() => fs.utimesSync(path, new Date(), new Date()) ?? true) ?? false,
    remove: () => quietly(() => fs.rmSync(path, { force: true })),
  };
}
