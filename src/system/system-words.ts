import { getSystemErrorMap } from 'node:util';
import { messageOf } from '../errors';

/** Returns the reason of a system call's failure in words: `no such file or directory`. */
export function wordsFor(error: unknown): string {
  const errno = Number((error as NodeJS.ErrnoException | undefined)?.errno);
  return getSystemErrorMap().get(errno)?.[1] ?? messageOf(error);
}
