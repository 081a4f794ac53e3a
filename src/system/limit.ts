/**
 * Limits asynchronous work by a timer. All limits use it instead of `AbortSignal.timeout` and `.any`: Node 20
 * can collect those as garbage while code still waits for them, and then they never fire.
 */

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/**
 * Runs the work and waits for it up to the limit. Then aborts the work's signal, so that late work stops. The
 * caller's signal ends the wait before. Throws TimedOut, the reason of that signal, or the error of the work.
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
