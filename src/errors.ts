/** The ways in which a run ends: exit codes, expected errors, signals and system limits. */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
