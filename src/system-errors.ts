/** The system's errors: their codes in words, and the limits that a process can reach. */
import { GwtokenError, messageOf } from './errors';

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

/** Matches the error code and the system call of a failure at a system limit: `EAGAIN spawn`. */
const LIMITS = /^(EMFILE|ENFILE|ENOMEM) |^EAGAIN (spawn|fork)/;

/** Returns the error for a system limit that the process has reached; undefined for any other error. */
export function limitReached(error: unknown): GwtokenError | undefined {
  if (!(error instanceof Error) || error instanceof GwtokenError) return undefined;
  const { syscall = '' } = error as NodeJS.ErrnoException;
  const code = systemCode(error);
  // If the JavaScript engine gets no memory, for example under `ulimit -v`, its error has no code.
  const isOutOfMemory = error instanceof RangeError && /out of memory|allocation failed/i.test(error.message);
  if (!isOutOfMemory && !LIMITS.test(`${code} ${syscall}`)) return undefined;
  const what = isOutOfMemory ? 'not enough memory' : `${syscall} failed (${code})`;
  // The WebAssembly in which undici parses HTTP reserves 8 GB of addresses.
  const lessMemory = 'raise ulimit -v, or use the standalone executable, which needs less';
  const hints = [...(isOutOfMemory ? [lessMemory] : []), 'to see the limits, run: ulimit -a'];
  return new GwtokenError('local', `a system limit is reached: ${what}`, hints, { detail: error.message });
}
