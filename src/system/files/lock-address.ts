/** Where a lock is, on each platform. */
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../../errors';
import type { Machine } from './paths';

export interface LockPlace {
  /** What the holder's socket listens on. */
  readonly address: string;
  /** Whether that is a file, which outlives a killed holder. */
  readonly isFile: boolean;
}

/** Where the lock `name` of a folder is; undefined when there can be none. */
export function lockPlace(folder: string, name: string, { platform, uid }: Machine): LockPlace | undefined {
  try {
    const id = createHash('sha256')
      .update(`${uid} ${folderId(folder)} ${name}`)
      .digest('hex');
    // Padded to the whole of sun_path: Node 20 binds the padding too, later ones do not, and they must meet.
    if (platform === 'linux' || platform === 'android')
      return { address: `\0gwtoken-${id}`.padEnd(108, '.'), isFile: false };
    if (platform === 'win32') return { address: `\\\\.\\pipe\\gwtoken-${id}`, isFile: false };
    const path = join(folder, `${name}.sock`);
    // sun_path holds 104 bytes on macOS; the temporary folder is the user's own there and short.
    const fits = Buffer.byteLength(path) < 104;
    return { address: fits ? path : join(tmpdir(), `gwtoken-${id.slice(0, 32)}.sock`), isFile: true };
  } catch {
    return undefined;
  }
}

/** The folder's random id, made by whoever comes first: link() puts it there whole or not at all. */
function folderId(folder: string): string {
  const path = join(folder, '.lock-id');
  const stored = readId(path);
  if (stored !== undefined) return stored;
  const own = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(own, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 });
    linkSync(own, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  const made = readId(path);
  if (made === undefined) throw new Error('no lock id can be kept here');
  return made;
}

/** A file that lost its content in a crash of the machine counts as none, and is removed. */
function readId(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  rmSync(path);
  return undefined;
}
