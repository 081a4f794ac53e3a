/** The errors that gwtoken expects, and their exit codes. */
import type { Cause, Reason, Subject } from './causes';

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

export interface Retry {
  /** Time that the endpoint asks to wait, in milliseconds, if it does. */
  readonly afterMs?: number | undefined;
  /** True if a random part would only delay the retry, because the time of the next reply is known. */
  readonly isExact?: boolean;
}

interface Details {
  readonly subject?: Subject;
  /** Text for --verbose only. */
  readonly detail?: string | undefined;
  /** Present only if a retry may help. */
  readonly retry?: Retry | undefined;
}

/** An expected error. `message` is one line. It never contains a secret, a token or a body. */
export class GwtokenError extends Error implements Details {
  override readonly name = 'GwtokenError';
  readonly kind: ErrorKind;
  /** Undefined if there is no hint. */
  override readonly cause: Cause | undefined;
  readonly subject: Subject;
  readonly detail: string | undefined;
  readonly retry: Retry | undefined;

  constructor(kind: ErrorKind, message: string, cause?: Cause, more: Details = {}) {
    super(message);
    this.kind = kind;
    this.cause = cause;
    this.subject = more.subject ?? {};
    this.detail = more.detail;
    this.retry = more.retry;
  }

  /** Undefined if the cause is only hints. */
  get reason(): Reason | undefined {
    return this.cause && 'reason' in this.cause ? this.cause.reason : undefined;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }

  /** Returns the same error with these facts for its hints. */
  about(subject: Subject): GwtokenError {
    const all = { ...this.subject, ...subject };
    return new GwtokenError(this.kind, this.message, this.cause, { ...this, subject: all });
  }

  reworded(message: string): GwtokenError {
    return new GwtokenError(this.kind, message, this.cause, this);
  }
}

/** Returns the error for a wrong command line, setting or file. */
export function usage(message: string, cause?: Cause): GwtokenError {
  return new GwtokenError('usage', message, cause);
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
