/** The errors that end gwtoken: expected ones and signals. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../src/errors';
import { ENDING_SIGNALS, Interrupted } from '../src/signals';

test('about() and reworded() change only the facts for hints, and the message', () => {
  const cause = { reason: 'invalid_client' } as const;
  const details = { subject: { isRepeated: true }, detail: 'the reply', retry: { afterMs: 5 } };
  const error = new GwtokenError('refused', 'it said no', cause, details);
  const subject = { isRepeated: true, lastStep: 'try again' };
  const rest = { kind: 'refused', cause, ...details };
  expect(error.reworded('no')).toMatchObject({ ...rest, message: 'no' });
  expect(error.about({ lastStep: 'try again' })).toMatchObject({ ...rest, message: 'it said no', subject });
});

test('Interrupted has the exit code that a shell shows for the signal', () => {
  expect(ENDING_SIGNALS).toEqual(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']);
  const codes = [...ENDING_SIGNALS, 'SIGUSR2' as const].map((signal) => new Interrupted(signal).exitCode);
  expect(codes).toEqual([129, 130, 131, 143, 1]);
});
