/** Every exit code, with the kind of error that ends with it. Scripts branch on them: a number never changes. */
export const EXIT_CODES = {
  0: { words: 'success' },
  1: { kind: 'local', words: 'cannot write a file or output, or a bug' },
  2: { kind: 'usage', words: 'usage or configuration error' },
  3: { kind: 'refused', words: 'credentials rejected' },
  4: { kind: 'no-credentials', words: 'no credentials for this client' },
  5: { kind: 'keychain', words: 'keychain or credential command failed' },
  6: { kind: 'unreached', words: 'could not reach the token endpoint' },
  7: { kind: 'bad-reply', words: 'unusable reply from the token endpoint' },
  // Of `exec` only: a failure of gwtoken's own can be told from any of the command's.
  125: { words: 'gwtoken itself failed' },
  126: { kind: 'not-runnable', words: 'command cannot be executed' },
  127: { kind: 'not-found', words: 'command not found' },
} as const;

type ExitCode = keyof typeof EXIT_CODES;
export type ErrorKind = Extract<(typeof EXIT_CODES)[ExitCode], { readonly kind: string }>['kind'];

export function exitCodeFor(kind: ErrorKind): number {
  return Number(Object.entries(EXIT_CODES).find(([, row]) => 'kind' in row && row.kind === kind)?.[0]);
}

export function isErrorKind(text: unknown): text is ErrorKind {
  return Object.values(EXIT_CODES).some((row) => 'kind' in row && row.kind === text);
}

/** The exit code of `exec` for a failure of gwtoken's own. */
export const EXEC_FAILED = 125;

interface ErrorMore {
  /** Each is one line that names the next command or variable, with the user's own values in it. */
  readonly hints?: readonly string[];
  readonly cause?: unknown;
  /** What exactly it was, for code that reacts to it: an error code of RFC 6749, a keychain's state. */
  readonly reason?: string | undefined;
  /** For --verbose only. */
  readonly detail?: string | undefined;
  /** Set only if the reply says that a retry may help. */
  readonly retry?: Retry | undefined;
}

export interface Retry {
  /** How long the endpoint asks to wait, in milliseconds, if it does. */
  readonly afterMs?: number | undefined;
}

/** The one error that gwtoken expects. `message` is one line. Nothing in it ever holds a secret, a token or a body. */
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

/** The exit codes that a shell shows for the signals that end a program from outside. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export const ENDING_SIGNALS = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];

/** gwtoken ends by this signal, so that a calling script stops too. */
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

/** Runs `work`; a signal that would end gwtoken meanwhile rejects with Interrupted instead. */
export async function untilSignal<T>(
  onSignals: (signals: readonly NodeJS.Signals[], heard: (signal: NodeJS.Signals) => void) => () => void,
  work: () => Promise<T>,
): Promise<T> {
  let release = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    release = onSignals(ENDING_SIGNALS, (signal) => reject(new Interrupted(signal)));
  });
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    release();
  }
}

/** The reader of stdout has gone (EPIPE): nothing is said, and the exit code is that of SIGPIPE. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
  readonly exitCode = 141;
}

/** Runs `work`; returns undefined if it throws, which makes no difference to the caller. */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system's error code (`ENOENT`, `ECONNREFUSED`), if the thrown value has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** By the system's code and the call that failed, or by V8's message if it gets no memory. */
const LIMITS = /^(EMFILE|ENFILE|ENOMEM) |^EAGAIN (spawn|fork)|^undefined .*WebAssembly.*Out of memory/;

/** Recognises a failure because the process has reached a system limit; returns undefined for any other error. */
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
