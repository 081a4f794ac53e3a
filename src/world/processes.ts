import type { Env } from './streams';

/**
 * Runs a command line in the system's shell, with our stdin and stderr. If it takes longer than `timeoutMs`, or until
 * `ended`, or prints more than `limit` bytes, it is ended with everything that it started; likewise on a signal, which
 * rejects with Interrupted.
 */
export type RunCredentialCommand = (
  command: string,
  options: {
    readonly env: Env;
    readonly timeoutMs: number;
    readonly limit: number;
    readonly ended?: AbortSignal;
  },
) => Promise<CommandEnd>;

export type CommandEnd =
  | { readonly how: 'exited'; readonly code: number; readonly stdout: Uint8Array }
  | { readonly how: 'killed'; readonly signal: string }
  | { readonly how: 'not-started'; readonly reason: string }
  | { readonly how: 'late' | 'too-long' };

/** A program with gwtoken's own stdin, stdout, stderr and terminal. */
export interface PreparedChild {
  /**
   * Runs it to its end. TERM, HUP, USR1 and USR2 are passed on to it; INT and QUIT only if they come from no terminal
   * that it shares. Rejects with a GwtokenError `not-found` or `not-runnable`.
   */
  run(command: string, args: readonly string[], env: Env): Promise<ChildEnd>;
  /** Signals have their usual effect on gwtoken again. */
  release(): void;
}

/** Either an exit code or the signal that it died of. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TokenFile {
  readonly path: string;
  /** Replaces the whole text at once: a reader sees the old or the new one. Throws the system's error. */
  replace(text: string): void;
  /** Shows sweeping processes that the owner is alive; due every minute. */
  touch(): void;
  remove(): void;
}
