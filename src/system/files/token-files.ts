/** The file of `exec --token-file`: 0600, in the cache's directory, replaced whole. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { failure, systemCode } from '../../errors';
import type { TokenFile } from '../../world';
import type { Machine } from './paths';
import { replaceFile } from './replace';
import { folderProblem, sweepTokenFiles } from './token-cache';
import { makeFolder } from './trust';

/**
 * Creates a file with this text. Its path is absolute: the command may change its working directory.
 *
 * @throws GwtokenError `local`
 */
export function createTokenFile(cache: string, machine: Machine, text: string): TokenFile {
  const folder = resolve(cache);
  const path = join(folder, `exec-${randomBytes(8).toString('hex')}`);
  const replace = (content: string): void => {
    makeFolder(folder, machine);
    const problem = folderProblem(folder, machine);
    if (problem !== undefined) throw failure('local', `cannot create a token file: ${problem}`, HINT);
    replaceFile(path, content, machine);
  };
  try {
    replace(text);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw failure('local', `cannot create a token file in ${folder} (${code})`, HINT);
  }
  sweepTokenFiles(folder);
  return {
    path,
    replace,
    touch: () => quietly(() => fs.utimesSync(path, new Date(), new Date())),
    remove: () => quietly(() => fs.rmSync(path, { force: true })),
  };
}

const HINT = 'set GWTOKEN_CACHE_DIR to a directory you own';

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The command's end does not depend on its file.
  }
}
