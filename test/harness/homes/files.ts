import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
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

/** All below a folder, a line each: kind, mode, path and a digest of the content or a link's target. */
export function treeOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, uid } = lstatSync(path);
      const content = entry.isSymbolicLink()
        ? readlinkSync(path)
        : entry.isFile()
          ? createHash('sha256').update(readFileSync(path)).digest('hex')
          : 'folder';
      return `${relative(dir, path)} ${mode.toString(8)} ${uid} ${content}`;
    })
    .sort();
}
