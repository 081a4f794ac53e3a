/** The one error that gwtoken expects, and functions that make or catch it. */
import type { ErrorKind } from './exit-codes';

interface ErrorMore {
  /** Hints of one line each: the next command or variable, with the user's own values in it. */
  readonly hints?: readonly string[];
  readonly cause?: unknown;
  /** Exact cause, for code that reacts to it: an error code of RFC 6749, a keychain's state. */
  readonly reason?: string | undefined;
  /** Text for --verbose only. */
  readonly detail?: string | undefined;
  /** True if another gwtoken process made the request that failed. */
  readonly ofAnotherProcess?: boolean;
  /** Present only if the reply says that a retry may help. */
  readonly retry?: Retry | undefined;
}

export interface Retry {
  /** Time that the endpoint asks to wait, in milliseconds, if it does. */
  readonly afterMs?: number | undefined;
}

/** The one error that gwtoken expects. `message` is one line. It never holds a secret, a token or a body. */
export class GwtokenError extends Error {
  override readonly name = 'GwtokenError';
  readonly kind: ErrorKind;
  readonly hints: readonly string[];
  readonly reason: string | undefined;
  readonly detail: string | undefined;
  readonly ofAnotherProcess: boolean;
  readonly retry: Retry | undefined;

  constructor(kind: ErrorKind, message: string, more: ErrorMore = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.hints = more.hints ?? [];
    this.reason = more.reason;
    this.detail = more.detail;
    this.ofAnotherProcess = more.ofAnotherProcess ?? false;
    this.retry = more.retry;
  }

  /** Returns the same error with these hints after its own. */
  withHints(hints: readonly string[]): GwtokenError {
    const { kind, message, cause } = this;
    return new GwtokenError(kind, message, { ...this, cause, hints: [...this.hints, ...hints] });
  }
}

export function usage(message: string, ...hints: string[]): GwtokenError {
  return new GwtokenError('usage', message, { hints });
}

export function failure(kind: ErrorKind, message: string, ...hints: string[]): GwtokenError {
  return new GwtokenError(kind, message, { hints });
}

/** Runs `work`; returns undefined if it throws, for callers to whom the reason makes no difference. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Runs `work`; returns its result or the GwtokenError it throws. Any other error is a bug, and thrown on. */
export function attempt<T>(work: () => T): T | GwtokenError {
  try {
    return work();
  } catch (error) {
    if (error instanceof GwtokenError) return error;
    throw error;
  }
}
