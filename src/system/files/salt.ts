/** The salt of a directory: what is named by it tells nothing to those who do not have it. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors';

/**
 * Returns the directory's salt; the first process to ask creates it. It is a file in a directory of its own:
 * nothing can be renamed onto that, so the first one stays. Throws the system's error.
 */
export function saltOf(folder: string): Uint8Array {
  const path = join(folder, 'salt');
  const read = (): Buffer => readFileSync(join(path, 'bytes'));
  const found = quietly(read);
  if (found !== undefined) return found;
  const made = mkdtempSync(`${path}-`);
  writeFileSync(join(made, 'bytes'), crypto.getRandomValues(new Uint8Array(16)), { mode: 0o600 });
  quietly(() => renameSync(made, path));
  rmSync(made, { recursive: true, force: true });
  return read();
}
