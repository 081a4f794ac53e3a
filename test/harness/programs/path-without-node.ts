import { accessSync, constants, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A PATH with every program of this one but Node's own, as links in one folder that is made anew: what runs in it needs
 * no Node. Windows has no such links, and keeps its PATH.
 */
export function pathWithoutNode(root: string): string {
  const path = process.env['PATH'] ?? '';
  if (process.platform === 'win32') return path;
  const folder = join(root, 'node_modules', '.cache', `path-without-node-${process.pid}`);
  // The configuration is read once for each of vitest's projects.
  if (mkdirSync(folder, { recursive: true }) === undefined) return folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const linked = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack']);
  for (const from of path.split(delimiter).filter(Boolean)) {
    for (const name of namesIn(from)) {
      if (linked.has(name) || !isProgram(join(from, name))) continue;
      linked.add(name);
      symlinkSync(join(from, name), join(folder, name));
    }
  }
  return folder;
}

/** This process's PATH without the directories that its user may not read. */
export function readablePath(): string {
  return (process.env['PATH'] ?? '').split(delimiter).filter(isProgram).join(delimiter);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(realpathSync(file), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
