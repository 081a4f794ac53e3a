/** Files that killed processes left behind. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors';

/** After this long no living process uses a temporary file, and the clocks of file servers differ by less. */
const STALE_MS = 10 * 60_000;

/** Removes old files and directories with these names. Never throws: the next writer tries again. */
export function sweepOld(folder: string, names: RegExp): void {
  // Another may have swept it, or the folder cannot be changed.
  quietly(() => {
    for (const name of readdirSync(folder)) {
      if (!names.test(name)) continue;
      const left = join(folder, name);
      if (Date.now() - lstatSync(left).mtimeMs > STALE_MS) rmSync(left, { recursive: true });
    }
  });
}
