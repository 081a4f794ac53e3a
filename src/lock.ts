/** A lock between processes, held by this process or by another. */
export type Lock = HeldLock | OthersLock;

export interface HeldLock {
  readonly held: true;
  /** Returns false once another process holds the lock, or a login or logout has removed it. */
  isHeld(): boolean;
  release(): void;
}

export interface OthersLock {
  readonly held: false;
  /**
   * Waits until the holder has released the lock or has died. Resolves with `late` if the limit passes or the
   * signal is aborted first.
   */
  wait(limitMs: number, signal?: AbortSignal): Promise<'released' | 'late'>;
}

/** Runs work while a lock is held. Releases the lock afterwards, or at once if the work is cancelled. */
export async function withHeldLock<T>(
  { release }: HeldLock,
  work: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  // gwtoken may exit before cancelled work ends.
  signal?.addEventListener('abort', release);
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    signal?.removeEventListener('abort', release);
    release();
  }
}
