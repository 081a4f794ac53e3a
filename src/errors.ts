/** The ways in which a run ends: exit codes, expected errors, signals and system limits. */
import type { Cause, Reason, Subject, SystemCode } from './causes';

export { type KeychainReason, OAUTH_ERRORS, type OAuthError, type Reason, type SystemCode } from './causes';

/** Exit codes by the kind of error. They never change, because scripts rely on them. */
export const EXIT_CODES = {
  local: 1,
  usage: 2,
  refused: 3,
  'no-credentials': 4,
  keychain: 5,
  unreached: 6,
  'bad-reply': 7,
  'not-runnable': 126,
  'not-found': 127,
} as const;

export type ErrorKind = keyof typeof EXIT_CODES;

export function isErrorKind(text: string): text is ErrorKind {
  return Object.hasOwn(EXIT_CODES, text);
}

/** Exit code of `exec` and `curl` if gwtoken itself fails. It differs from the usual codes of commands. */
export const EXEC_FAILED = 125;

interface ErrorDetails {
  /** Hints that src/hints.ts does not know yet. */
  readonly hints?: readonly string[];
  readonly cause?: Cause | undefined;
  readonly reason?: Reason | undefined;
  readonly subject?: Subject;
  /** Text for --verbose only. */
  readonly detail?: string | undefined;
  /** Present only if a retry may help. */
  readonly retry?: Retry | undefined;
}

export interface Retry {
  /** Time that the endpoint asks to wait, in milliseconds, if it does. */
  readonly afterMs?: number | undefined;
}

/** An expected error. `message` is one line. It never contains a secret, a token or a body. */
export class GwtokenError extends Error {
  override readonly name = 'GwtokenError';
  readonly kind: ErrorKind;
  /** The reason, with the facts for its hints. */
  override readonly cause: Cause | undefined;
  /** What callers know of the error's client. */
  readonly subject: Subject;
  readonly hints: readonly string[];
  readonly detail: string | undefined;
  readonly retry: Retry | undefined;

  constructor(kind: ErrorKind, message: string, more: ErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.cause = more.cause ?? (more.reason && ({ reason: more.reason } as Cause));
    this.subject = more.subject ?? {};
    this.hints = more.hints ?? [];
    this.detail = more.detail;
    this.retry = more.retry;
  }

  get reason(): Reason | undefined {
    return this.cause?.reason;
  }

  /** Returns the same error with these facts for its hints. */
  about(subject: Subject): GwtokenError {
    return new GwtokenError(this.kind, this.message, { ...this, subject: { ...this.subject, ...subject } });
  }

  /** Returns the same error with these hints after its own. */
  withHints(hints: readonly string[]): GwtokenError {
    return new GwtokenError(this.kind, this.message, { ...this, hints: [...this.hints, ...hints] });
  }
}

export function usage(message: string, ...why: readonly (Cause | string)[]): GwtokenError {
  return failure('usage', message, ...why);
}

export function failure(kind: ErrorKind, message: string, ...why: readonly (Cause | string)[]): GwtokenError {
  const cause = why.find((each): each is Cause => typeof each !== 'string');
  return new GwtokenError(kind, message, { cause, hints: why.filter((each) => typeof each === 'string') });
}

/** Runs `work`; returns undefined if it throws, for callers that need no reason. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Runs `work`; returns its result or its GwtokenError. Rethrows any other error, which is a bug. */
export function valueOrError<T>(work: () => T): T | GwtokenError {
  try {
    return work();
  } catch (error) {
    if (error instanceof GwtokenError) return error;
    throw error;
  }
}

/** Exit codes that shells show for the signals that usually end a program. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
export const ENDING_SIGNALS = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];

/** A received signal. gwtoken ends by the same signal, so that a calling script stops too. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: NodeJS.Signals;
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
    this.exitCode = SIGNAL_CODES[signal as keyof typeof SIGNAL_CODES] ?? 1;
  }
}

/** The reader of stdout is gone (EPIPE). gwtoken ends silently with the exit code of SIGPIPE. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
  readonly exitCode = 141;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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
  return new GwtokenError('local', `a system limit is reached: ${what}`, {
    cause: { reason: 'system-limit', isMemory: isOutOfMemory },
    detail: error.message,
  });
}
