/** The signals that end gwtoken, and work that a signal cancels. */
import type { World } from './world';

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

/**
 * Runs `work`; rejects with Interrupted when a signal arrives that would end gwtoken. `work` must clean up
 * synchronously when its signal is aborted, because gwtoken exits without awaiting it.
 */
export async function untilSignal<T>(
  onSignals: World['onSignals'],
  work: (cancelled: AbortSignal) => Promise<T>,
): Promise<T> {
  const cancel = new AbortController();
  let release = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    release = onSignals(ENDING_SIGNALS, (signal) => {
      reject(new Interrupted(signal));
      cancel.abort(new Interrupted(signal));
    });
  });
  try {
    return await Promise.race([work(cancel.signal), interrupted]);
  } finally {
    release();
  }
}
