import type { ErrorKind } from './exit-codes';

/** What an error tells beside its message. */
export interface ErrorMore {
  /** Each is one line that names the next command or variable with the user's own values in it. */
  readonly hints?: readonly string[];
  readonly cause?: unknown;
  /** What exactly it was, for code that reacts to it: an error code of RFC 6749, a keychain's state. */
  readonly reason?: string | undefined;
  /** For --verbose only. */
  readonly detail?: string | undefined;
  /** There where the endpoint's reply lets the same request succeed a little later, and only there. */
  readonly retry?: Retry | undefined;
}

export interface Retry {
  /** How long the endpoint asks to wait, in milliseconds, if it does. */
  readonly afterMs?: number | undefined;
}

/**
 * The one error that gwtoken expects. `message` is one line without a full stop. Nothing in it ever holds a secret,
 * a token or a body.
 */
export class GwtokenError extends Error {
  override readonly name = 'GwtokenError';
  readonly kind: ErrorKind;
  readonly hints: readonly string[];
  readonly reason: string | undefined;
  readonly detail: string | undefined;
  readonly retry: Retry | undefined;

  constructor(kind: ErrorKind, message: string, more: ErrorMore = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.hints = more.hints ?? [];
    this.reason = more.reason;
    this.detail = more.detail;
    this.retry = more.retry;
  }

  /** The same error with these hints after its own. */
  withHints(hints: readonly string[]): GwtokenError {
    const { reason, detail, cause, retry } = this;
    return new GwtokenError(this.kind, this.message, {
      hints: [...this.hints, ...hints],
      reason,
      detail,
      cause,
      retry,
    });
  }
}

/** The exit codes that a shell shows for the signals that end a program from outside. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export const ENDING_SIGNALS = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];

/**
 * gwtoken ends by this signal, so that a calling script stops too: a person pressed Ctrl-C at a prompt, it was sent to
 * gwtoken, or the command that it ran died of it.
 */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }

  get exitCode(): number {
    return SIGNAL_CODES[this.signal as keyof typeof SIGNAL_CODES] ?? 1;
  }
}

/** The reader of stdout has gone (EPIPE): nothing is said, and the exit code is the one a shell shows for SIGPIPE. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
  readonly exitCode = 141;
}

/** What the work gives, or the error that it fails with. Anything but a GwtokenError is a bug, and thrown on. */
export function attempt<T>(work: () => T): T | GwtokenError {
  try {
    return work();
  } catch (error) {
    if (error instanceof GwtokenError) return error;
    throw error;
  }
}

/** The text of an unknown thrown value, for messages and traces. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's error code (`ENOENT`, `ECONNREFUSED`), where the thrown value has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
