/** A file at a path that the user names for a token: `get --output FILE` and `exec --token-file FILE`. */
import { lstatSync, rmSync, type Stats } from 'node:fs';
import { failure, quietly, usage } from '../../errors';
import { systemCode } from '../../system-errors';
import type { Host } from './paths';
import { readLimited } from './read-file';
import { replaceFile } from './replace';
import { distrust } from './trust';

/**
 * Replaces the file, mode 0600, at once. What was there has to be a regular file of the user's: `--output
 * /dev/stdout` would replace the device.
 *
 * @throws GwtokenError `usage` for anything else, `local` if it cannot be written
 */
export function replaceUserFile(path: string, text: string, host: Host): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const problem = stat && !stat.isFile() ? 'is not a regular file' : stat && foreignness(stat, host);
  if (problem) throw usage(`${path} ${problem}; it was left as it is`, 'choose another path');
  try {
    replaceFile(path, text, host);
  } catch (error) {
    throw failure(
      'local',
      `cannot write ${path} (${systemCode(error)})`,
      'choose a path that you can write to',
    );
  }
}

/** Removes the file if it still has this text. Never throws: nobody waits for it any more. */
export function removeUserFile(path: string, text: string): void {
  quietly(() => {
    if (Buffer.from(readLimited(path, text.length)).toString() === text) rmSync(path);
  });
}

function foreignness(stat: Stats, host: Host): string | undefined {
  const untrusted = distrust(stat, 'user', host);
  return untrusted?.why === 'foreign' ? untrusted.text : undefined;
}
