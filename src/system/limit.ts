/**
 * The one kind of time limit: a timer that ends the waiting. Not `AbortSignal.timeout` and not `.any`, which
 * Node 20 collects as garbage while somebody still waits for them, and then the limit never comes.
 */

/** The end of work that took too long. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/**
 * Runs the work, and waits for it no longer than the limit. Its signal is aborted once nobody waits any more.
 *
 * @param caller ends the waiting before that
 * @throws TimedOut, or the reason of the caller's signal
 */
export async function withinLimit<T>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  caller?: AbortSignal,
): Promise<T> {
  caller?.throwIfAborted();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`no end within ${limitMs} ms`)), limitMs);
    cancel = () => reject(caller?.reason);
    caller?.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([work(over.signal), late]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', cancel);
    over.abort();
  }
}
