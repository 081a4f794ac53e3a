import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../errors';

/**
 * Makes a folder and those above it that are missing, mode 0700, whoever else is making them at the same time. Node's
 * own `recursive` never returns where the system says ENOENT although the folder above is there, as /proc does.
 */
export function makeFolder(path: string): void {
  const above = dirname(path);
  // Looked at first: after a refusal it would not be known whether another process has just made it.
  if (above !== path && !existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}
