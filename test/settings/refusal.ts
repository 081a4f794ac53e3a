import { expect } from 'vitest';
import { GwtokenError, type Hints, valueOrError } from '../../src/errors';

/** Returns the message and hints of the `usage` error that the work throws; fails if it throws none. */
export function refusal(work: () => unknown): { readonly message: string; readonly hints: Hints } {
  const error = valueOrError(work);
  expect(error).toBeInstanceOf(GwtokenError);
  const { kind, message, hints } = error as GwtokenError;
  expect(kind).toBe('usage');
  return { message, hints };
}
