/** The errors that end gwtoken: expected ones and signals. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../src/errors';
import { ENDING_SIGNALS, Interrupted } from '../src/signals';

test('with() returns the same error with some changes', () => {
  const details = { reason: 'rejected', detail: 'the reply', retry: { afterMs: 5 } } as const;
  const error = new GwtokenError('refused', 'it said no', ['a hint'], details);
  const rest = { kind: 'refused', message: 'it said no', hints: ['a hint'], ...details };
  const changes = [{ message: 'no' }, { hints: [] }, { lastStep: 'try again' }, { reason: undefined }];
  for (const change of changes) expect(error.with(change)).toMatchObject({ ...rest, ...change });
});

test('Interrupted has the exit code that a shell shows for the signal', () => {
  expect(ENDING_SIGNALS).toEqual(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']);
  const codes = [...ENDING_SIGNALS, 'SIGUSR2' as const].map((signal) => new Interrupted(signal).exitCode);
  expect(codes).toEqual([129, 130, 131, 143, 1]);
});
