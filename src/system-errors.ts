/** The system's errors, and their codes in words. */
import { messageOf } from './errors';

/** Error code of the system, Node, OpenSSL or undici, always in capitals: `ECONNREFUSED`. */
type SystemCode = Uppercase<string>;

/** Returns the system's error code (`ENOENT`, `ECONNREFUSED`), if the thrown value has one. */
export function systemCode(error: unknown): SystemCode | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? (code as SystemCode) : undefined;
}

/** Words for the codes of files and programs. Node's own map in `node:util` takes time at every start. */
const WORDS: Readonly<Record<SystemCode, string>> = {
  E2BIG: 'argument list too long',
  EACCES: 'permission denied',
  EAGAIN: 'resource temporarily unavailable',
  EBUSY: 'resource busy or locked',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'name too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ETXTBSY: 'text file is busy',
};

/** Returns the reason of a failed system call in words, without its path: `no such file or directory`. */
export function wordsFor(error: unknown): string {
  const code = systemCode(error);
  return code === undefined ? messageOf(error) : (WORDS[code] ?? code);
}

/** Returns whether this process or machine has reached a limit, so that no other end has failed. */
export function isProcessLimit(code: string | undefined): boolean {
  return /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test(code ?? '');
}

/** Returns whether a system call failed. Its error names it: `EMFILE: too many open files, open 'FILE'`. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
