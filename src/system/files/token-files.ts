/** The file of `exec --token-file`: 0600, in the cache's directory, replaced whole. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { failure, systemCode } from '../../errors';
import type { TokenFile } from '../../world';
import { makeFolder } from './folders';
import type { Machine } from './paths';
import { replaceFile, sweepOld } from './replace';
import { folderProblem } from './token-cache';

const NAMES = /^exec-[0-9a-f]{16}(\.\w+\.tmp)?$/;
/** A living owner touches its file every 30 s, but may be suspended for a night. */
const LEFT_MS = 24 * 3600 * 1000;

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

/** Removes what an `exec` that was killed left in the cache's directory, once it is a day old. */
export function sweepTokenFiles(folder: string): void {
  sweepOld(folder, NAMES, LEFT_MS);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The command's end does not depend on its file.
  }
}
