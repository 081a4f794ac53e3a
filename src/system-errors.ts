/** Errors of Node and of the operating system. */
import { GwtokenError } from './errors';

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system's error code (`ENOENT`, `ECONNREFUSED`), if the thrown value has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Failures at a system limit: the system's code and call, or V8's message if it gets no memory. */
const LIMITS = /^(EMFILE|ENFILE|ENOMEM) |^EAGAIN (spawn|fork)|^undefined .*WebAssembly.*Out of memory/;

/** Returns the error for a system limit that the process has reached; undefined for any other error. */
export function limitReached(error: unknown): GwtokenError | undefined {
  if (!(error instanceof Error) || error instanceof GwtokenError) return undefined;
  const { syscall = '' } = error as NodeJS.ErrnoException;
  const code = systemCode(error);
  const detail = messageOf(error);
  if (!LIMITS.test(`${code} ${syscall} ${detail}`)) return undefined;
  const what = code === undefined ? 'reserving memory failed' : `${syscall} failed (${code})`;
  return new GwtokenError('local', `a system limit is reached: ${what}`, {
    hints: ['to see the limits, run: ulimit -a'],
    cause: error,
    detail,
  });
}
