/** The errors of Node and of the system: their text, their code, and the limits of the system among them. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../src/errors';
import { limitReached, messageOf, systemCode } from '../src/system-errors';

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
