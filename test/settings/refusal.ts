import { expect } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { hintsFor } from '../../src/hints/hints';
import type { Settings } from '../../src/settings/table';

/** Returns the message and hints of the `usage` error that the work throws; fails if it throws none. */
export function refusal(
  work: () => unknown,
  settings?: Settings,
): { message: string; hints: readonly string[] } {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(GwtokenError);
    expect(error).toMatchObject({ kind: 'usage' });
    return {
      message: (error as GwtokenError).message,
      hints: hintsFor(error as GwtokenError, settings),
    };
  }
  throw new Error('expected a usage error, but nothing was thrown');
}
