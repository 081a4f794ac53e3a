import { expect } from 'vitest';
import { GwtokenError } from '../../src/errors';

/** The message and the hints of a `usage` error; fails where there is none. */
export function refusal(work: () => unknown): { message: string; hints: readonly string[] } {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(GwtokenError);
    expect(error).toMatchObject({ kind: 'usage' });
    const { message, hints } = error as GwtokenError;
    return { message, hints };
  }
  throw new Error('it was taken');
}
