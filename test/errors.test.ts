/** The errors that end gwtoken: expected ones, signals and limits of the system. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../src/errors';
import { ENDING_SIGNALS, Interrupted } from '../src/signals';
import { limitReached } from '../src/system-errors';

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

const systemError = (code: string, syscall: string, message = `${code}: …, ${syscall}`) =>
  Object.assign(new Error(message), { code, syscall });

test.each([
  [systemError('EMFILE', 'open'), 'open failed (EMFILE)'],
  [systemError('EAGAIN', 'spawn getent'), 'spawn getent failed (EAGAIN)'],
  [new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory'), 'not enough memory'],
  [new RangeError('Array buffer allocation failed'), 'not enough memory'],
])('limitReached() recognizes %s', (error, what) => {
  expect(limitReached(error)).toMatchObject({
    kind: 'local',
    message: `a system limit is reached: ${what}`,
    detail: error.message,
  });
});

test.each([
  systemError('EAGAIN', 'write'),
  new RangeError('Maximum call stack size exceeded'),
  systemError('EACCES', 'open', 'EACCES: EMFILE , open'),
  // Errors of a running program that is already reported.
  Object.assign(new GwtokenError('keychain', 'it said: ENOMEM'), { code: 'ENOMEM', syscall: 'open' }),
])('limitReached() ignores %s', (error) => {
  expect(limitReached(error)).toBeUndefined();
});
