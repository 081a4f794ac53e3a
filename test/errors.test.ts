/** What ends gwtoken: the one error that it expects, signals, and the errors of Node and of the system. */
import { expect, test } from 'vitest';
import {
  ENDING_SIGNALS,
  GwtokenError,
  Interrupted,
  limitReached,
  messageOf,
  systemCode,
  valueOrError,
} from '../src/errors';

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
  expect([valueOrError(() => 'done'), valueOrError(failing(expected))]).toEqual(['done', expected]);
  expect(() => valueOrError(failing(bug))).toThrow(bug);
});

test('a signal has the code that a shell shows for it, where gwtoken itself can get it', () => {
  expect(ENDING_SIGNALS).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM']);
  const codes = [...ENDING_SIGNALS, 'SIGQUIT' as const].map((signal) => new Interrupted(signal).exitCode);
  expect(codes).toEqual([129, 130, 143, 1]);
});

test('whatever is thrown has a text, and a code if the system gave it one', () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  const aborted = new DOMException('it was aborted', 'AbortError');
  const thrown = [missing, aborted, 'a text', null, undefined];
  expect(thrown.map(messageOf)).toEqual(['no such file', 'it was aborted', 'a text', 'null', 'undefined']);
  // The code of a DOMException is a number.
  expect(thrown.map(systemCode)).toEqual(['ENOENT', undefined, undefined, undefined, undefined]);
});

const systemError = (code: string, syscall: string, message = `${code}: …, ${syscall}`) =>
  Object.assign(new Error(message), { code, syscall });

test.each([
  [systemError('EMFILE', 'open'), 'open failed (EMFILE)'],
  [systemError('EAGAIN', 'spawn getent'), 'spawn getent failed (EAGAIN)'],
  [new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate'), 'reserving memory failed'],
])('limitReached takes %s for a limit', (error, what) => {
  expect(limitReached(error)).toMatchObject({
    kind: 'local',
    message: `a system limit is reached: ${what}`,
    hints: ['to see the limits, run: ulimit -a'],
    cause: error,
    detail: error.message,
  });
});

test.each([
  systemError('EAGAIN', 'write'),
  systemError('ENOENT', 'spawn x'),
  systemError('EACCES', 'open', 'EACCES: EMFILE , open'),
  new Error('out of memory'),
  // Another program's words, which are told of already.
  new GwtokenError('keychain', 'it said: WebAssembly.Instance(): Out of memory'),
  undefined,
])('limitReached takes %s for none', (error) => {
  expect(limitReached(error)).toBeUndefined();
});
