/** Writes files outside gwtoken's directories: for `--output`, `--token-file` and a CI runner. */
import { appendFileSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { GwtokenError, orUndefined, usage } from '../../errors';
import { wordsFor } from '../../system-errors';
import type { Host } from './paths';
import { readRegular } from './read-file';
import { writeByRename, writeError } from './replace';
import { ownerProblem } from './trust';

const OTHER_PATH = ['choose another path'];

/**
 * Replaces a file atomically, as the World's `replaceFile` says. An existing file has to be a regular one:
 * otherwise `--output /dev/stdout` would replace the device. A killed run leaves a token file with mode 0600.
 */
export function replaceUserFile(path: string, text: string, host: Host, isTokenFile = false): void {
  try {
    const problem = pathProblem(path, host, isTokenFile);
    if (problem !== undefined) throw usage(`${problem}; nothing was written`, OTHER_PATH);
    writeByRename(path, text, host);
  } catch (error) {
    throw writeError(error, path, OTHER_PATH);
  }
}

function pathProblem(path: string, host: Host, isTokenFile: boolean): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isFile()) return `${path} is not a regular file`;
  const owner = ownerProblem(stat, 'user', host);
  if (owner !== undefined) return `${path} ${owner}`;
  const mode = (stat.mode & 0o777).toString(8);
  if (!isTokenFile || host.platform === 'win32' || mode === '600') return undefined;
  return `${path} has mode ${mode}, and a token file has mode 600`;
}

/** Removes the file if it still contains this text. Never throws. */
export function removeUserFile(path: string, text: string): void {
  orUndefined(() => {
    if (readRegular(path, text.length).bytes.toString() === text) rmSync(path);
  });
}

/**
 * Returns a function that appends to a CI runner's file. The runner creates and reads the file. Throws
 * `usage` if it does not exist; the returned function throws `local`.
 */
export function openAppender(path: string, variable: string): (text: string) => void {
  if (!orUndefined(() => statSync(path).isFile()))
    throw usage(path ? `${variable} points to ${path}, which is not a file` : `${variable} is not set`, [
      `the runner sets ${variable}; for a shell, see: gwtoken help shells`,
    ]);
  return (text) => {
    try {
      // Without a line break, the first variable would continue the last line of the file.
      const before = readFileSync(path, 'utf8');
      appendFileSync(path, before === '' || before.endsWith('\n') ? text : `\n${text}`);
    } catch (error) {
      const message = `cannot append to ${path} (from ${variable}): ${wordsFor(error)}`;
      throw new GwtokenError('local', message, ["check the free disk space and the file's permissions"]);
    }
  };
}
