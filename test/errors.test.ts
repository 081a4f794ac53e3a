/** The one error that gwtoken expects, and ways to catch it. */
import { expect, test } from 'vitest';
import { attempt, GwtokenError } from '../src/errors';

test('an error that gets more hints is the same in all else', () => {
  const [cause, retry] = [new Error('the cause'), { afterMs: 5 }];
  const told = { reason: 'invalid_client', detail: 'the reply', cause, retry };
  const error = new GwtokenError('refused', 'it said no', { hints: ['wait'], ...told }).withHints(['a', 'b']);
  expect(error).toBeInstanceOf(GwtokenError);
  expect(error).toMatchObject({
    kind: 'refused',
    message: 'it said no',
    hints: ['wait', 'a', 'b'],
    ...told,
  });
});

test('what is attempted gives its result or an expected error, and a bug goes on', () => {
  const [expected, bug] = [new GwtokenError('usage', 'it was refused'), new TypeError('a bug')];
  const failing = (error: Error) => () => {
    throw error;
  };
  expect([attempt(() => 'done'), attempt(failing(expected))]).toEqual(['done', expected]);
  expect(() => attempt(failing(bug))).toThrow(bug);
});
