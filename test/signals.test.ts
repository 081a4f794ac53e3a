/** The signals that end gwtoken from outside, and their exit codes. */
import { expect, test } from 'vitest';
import { ENDING_SIGNALS, Interrupted } from '../src/signals';

test('a signal has the code that a shell shows for it, where gwtoken itself can get it', () => {
  expect(ENDING_SIGNALS).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM']);
  const codes = [...ENDING_SIGNALS, 'SIGQUIT' as const].map((signal) => new Interrupted(signal).exitCode);
  expect(codes).toEqual([129, 130, 143, 1]);
});
