/** Ends from outside: a signal to gwtoken, or a reader of its output that has gone. */

/** Exit codes that a shell shows for the signals that end a program from outside. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export const ENDING_SIGNALS = Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[];

/** A signal that gwtoken received and then ends by, so that a calling script stops too. */
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

/** Runs `work`; rejects with Interrupted if a signal that would end gwtoken arrives meanwhile. */
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

/** The loss of stdout's reader (EPIPE): gwtoken ends silently, with the exit code of SIGPIPE. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
  readonly exitCode = 141;
}
