import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every regular file below a folder, by its path relative to it with `/` between; links are not followed. */
export function filesBelow(dir: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(dir, path).replaceAll('\\', '/'), readFileSync(path));
  }
  return files;
}
