import type { Env } from './streams';

/**
 * Runs a command line in the system's shell, with our stdin and stderr. What takes longer than `timeoutMs`, or prints
 * more than `limit` bytes, is ended with all that it has started; so it is on a signal, which rejects with Interrupted.
 */
export type RunCredentialCommand = (
  command: string,
  options: { readonly env: Env; readonly timeoutMs: number; readonly limit: number },
) => Promise<CommandEnd>;

export type CommandEnd =
  | { readonly how: 'exited'; readonly code: number; readonly stdout: Uint8Array }
  | { readonly how: 'killed'; readonly signal: string }
  | { readonly how: 'not-started'; readonly reason: string }
  | { readonly how: 'late' | 'too-long' };

/** A program with gwtoken's own stdin, stdout, stderr and terminal. */
export interface PreparedChild {
  /**
   * Runs it to its end. TERM, HUP, USR1 and USR2 are passed on to it, INT and QUIT where they come from no terminal
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
  /** Replaces all of the text at once: a reader sees the one or the other. Throws the system's error. */
  replace(text: string): void;
  /** Tells those who sweep that the owner lives; due every minute. */
  touch(): void;
  remove(): void;
}
