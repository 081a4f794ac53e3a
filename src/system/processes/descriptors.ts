/** The descriptors that a program gets beside the standard streams. */
import { closeSync, fstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { orUndefined } from '../../errors';
import type { Env } from '../../world';
import { uniqueName, writeError } from '../files/replace';

/**
 * Returns the `stdio` of spawn() that passes on the standard streams and the descriptors that words name, as
 * a shell puts `/dev/fd/63` in the place of `<(…)`. A named number that is not open stays closed.
 */
export function passedDescriptors(words: readonly string[]): (number | 'ignore')[] {
  const names = words.flatMap((word) => [...word.matchAll(/\/(?:dev|proc\/self)\/fd\/(\d{1,3})(?!\d)/g)]);
  const named = names.map(([, number]) => Number(number));
  const isPassed = (fd: number): boolean =>
    fd <= 2 || (named.includes(fd) && orUndefined(() => fstatSync(fd)) !== undefined);
  return Array.from({ length: Math.max(2, ...named) + 1 }, (_, fd) => (isPassed(fd) ? fd : 'ignore'));
}

/**
 * Returns the descriptor of a file without a name that contains the text. A pipe would need a shell: Node's
 * own pipes are sockets, which Linux does not open as `/dev/fd/N`. Tries memory first, which containers with
 * a read-only root have too.
 */
export function unnamedFile(text: string, { TMPDIR }: Env): number {
  return orUndefined(() => unnamedFileIn('/dev/shm', text)) ?? unnamedFileIn(TMPDIR || '/tmp', text);
}

function unnamedFileIn(directory: string, text: string): number {
  const path = `${directory}/gwtoken-${uniqueName()}`;
  try {
    const writer = openSync(path, 'wx', 0o600);
    // On macOS, `/dev/fd/N` continues at the reader's position, which stays at the start.
    const reader = openSync(path, 'r');
    rmSync(path);
    writeFileSync(writer, text);
    closeSync(writer);
    return reader;
  } catch (error) {
    throw writeError(error, path, ['set TMPDIR to a writable directory']);
  }
}
