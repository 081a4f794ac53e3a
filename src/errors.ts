/** The errors that gwtoken expects, and their exit codes. */
import type { Client } from './client';

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

/** The next steps to type or do, best first. */
export type Hints = readonly string[];

/** Something that a run needs and has not found. Its hints are a row in hints/. */
export type Missing = 'no-client' | 'no-region' | 'no-auth-url' | 'no-credentials' | 'not-returned';

/** Why an error happened, if its hints depend on it, or if other code asks. Most errors have only hints. */
export type Reason =
  | Missing
  /** The endpoint refused the credentials. */
  | 'rejected'
  | 'no-home'
  /** The mode of a file or directory allows other users too much. */
  | 'open-to-others'
  /** There is no keychain here that gwtoken can use, and so no item. */
  | 'no-keychain'
  /** The keychain denied access. */
  | 'denied'
  /** The keychain and gwtoken use different keys in this session. */
  | 'key-mismatch'
  /** The keychain, the credential command or the endpoint did not answer within the time limit. */
  | 'timed-out'
  /** A connection without a proxy failed. */
  | 'unreachable'
  /** The file of `--ca-file` cannot be used. */
  | 'ca-file'
  /** The token's lifetime is 0. */
  | 'just-expired';

/** The sources of a client's credentials, in the order of their precedence. */
export type SourceKind = 'variables' | 'command' | 'keychain';

/** The parts of an error that most errors do not have. */
type Details = Partial<Pick<GwtokenError, 'reason' | 'client' | 'source' | 'lastStep' | 'detail' | 'retry'>>;

/** An expected error. `message` is one line. No part of it contains a secret, a token or a body. */
export class GwtokenError extends Error {
  override readonly name = 'GwtokenError';
  readonly kind: ErrorKind;
  readonly hints: Hints;
  readonly reason: Reason | undefined;
  /** The client that a login is about. All other errors are about the client that the settings select. */
  readonly client: Client | undefined;
  /** Source of the credentials: `prompt` if a person typed them at a login, absent if a script gave them. */
  readonly source: { readonly kind: SourceKind | 'prompt'; readonly name: string } | undefined;
  /** The command's own step. It is always shown, after at most one other. */
  readonly lastStep: string | undefined;
  /** Text for --verbose only. */
  readonly detail: string | undefined;
  /** Present only if a retry may help. */
  readonly retry: Retry | undefined;

  constructor(kind: ErrorKind, message: string, hints: Hints = [], details: Details = {}) {
    super(message);
    this.kind = kind;
    this.hints = hints;
    this.reason = details.reason;
    this.client = details.client;
    this.source = details.source;
    this.lastStep = details.lastStep;
    this.detail = details.detail;
    this.retry = details.retry;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }

  /** Returns the same error with these changes. Callers add what they know to an error on its way up. */
  with(changes: Details & { readonly message?: string; readonly hints?: Hints }): GwtokenError {
    const { message, hints, ...details } = { ...this, message: this.message, ...changes };
    return new GwtokenError(this.kind, message, hints, details);
  }
}

/** Returns the error for a wrong command line, setting or file. */
export function usage(message: string, hints?: Hints, reason?: Reason): GwtokenError {
  return new GwtokenError('usage', message, hints, { reason });
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
